#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "core/context.hpp"
#include "problems/decompress.hpp"

struct zip;  // of libzip

namespace amgsolve {

/// The members of a zip archive in memory or in a file, by libzip.
class ZipArchive {
 public:
  /// Whether the build is with libzip.
  static bool is_available();

  /// Throws InputError "name: cannot read: ..." for what is no archive, or where the build is without libzip.
  /// @param bytes  of the whole archive, which stay while this does
  ZipArchive(std::string_view bytes, const std::string& name);
  explicit ZipArchive(const std::filesystem::path& path);

  bool has(const std::string& member) const;

  /// Bytes of a member, as the archive says, or fewer where it does not hold as many. Throws InputError as read() does
  /// where there is none.
  std::size_t size(const std::string& member) const;

  /// The bytes of a member, or as many as are wanted from its beginning. Throws InputError "name: ..." where there is
  /// none, or its data is corrupt; OutOfMemoryError.
  GrowingText read(Context<Host>& ctx, const std::string& member,
                   std::size_t wanted = std::numeric_limits<std::size_t>::max()) const {
    return read(ctx, member, 0, wanted, false);
  }

  /// `wanted` bytes of a member from byte `first` on, or as many as there are. The others are read, too, so that what
  /// is corrupt shows, but take no memory. Throws as read() does.
  GrowingText read_between(Context<Host>& ctx, const std::string& member, std::size_t first, std::size_t wanted) const {
    return read(ctx, member, first, wanted, true);
  }

 private:
  struct Close {
    void operator()(zip* archive) const;
  };

  GrowingText read(Context<Host>& ctx, const std::string& member, std::size_t first, std::size_t wanted,
                   bool to_the_end) const;

  std::string name_;
  std::size_t bytes_ = 0;  ///< of the archive
  std::unique_ptr<zip, Close> archive_;
};

}  // namespace amgsolve
