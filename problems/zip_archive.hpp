#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "core/context.hpp"
#include "problems/decompress.hpp"

struct zip;  // of libzip

namespace amgsolve {

/// The members of a zip archive in memory, by libzip.
class ZipArchive {
 public:
  /// Whether the build is with libzip.
  static bool is_available();

  /// Throws InputError "name: cannot read: ..." for what is no archive, or where the build is without libzip.
  /// @param bytes  of the whole archive, which stay while this does
  ZipArchive(std::string_view bytes, const std::string& name);

  bool has(const std::string& member) const;

  /// The bytes of a member, or as many as are wanted from its beginning. Throws InputError "name: ..." where there is
  /// none, or its data is corrupt; OutOfMemoryError.
  GrowingText read(Context<Host>& ctx, const std::string& member,
                   std::size_t wanted = std::numeric_limits<std::size_t>::max()) const;

 private:
  struct Close {
    void operator()(zip* archive) const;
  };

  std::string name_;
  std::unique_ptr<zip, Close> archive_;
};

}  // namespace amgsolve
