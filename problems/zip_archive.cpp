#include "problems/zip_archive.hpp"

#if AMGSOLVE_HAVE_ZIP
#include <zip.h>

#include <algorithm>
#include <limits>
#include <system_error>
#endif

#include "core/errors.hpp"
#include "core/format.hpp"

namespace amgsolve {

#if AMGSOLVE_HAVE_ZIP

namespace {

constexpr std::size_t largest_ratio = 1100;  // of deflate, a little more

/// Of libzip's own error, which is freed.
std::string reason_of(zip_error_t& error) {
  std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  return format_text("the zip archive is corrupt ({})", reason);
}

/// @param source  zip_source_t* source(zip_error_t&), null where there is none
template <class Source>
zip* open(const std::string& name, const Source& source) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* const bytes = source(error);
  if (bytes == nullptr) {
    throw_unreadable(name, reason_of(error));
  }
  zip* const archive = zip_open_from_source(bytes, ZIP_RDONLY, &error);
  if (archive == nullptr) {
    zip_source_free(bytes);
    throw_unreadable(name, reason_of(error));
  }
  return archive;
}

/// 0 where it is no file, which opening it says.
std::size_t size_of_file(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return error ? 0 : static_cast<std::size_t>(size);
}

zip_stat_t status_of(zip* archive, const std::string& member, const std::string& name) {
  zip_stat_t status;
  if (zip_stat(archive, member.c_str(), 0, &status) != 0) {
    throw InputError(format_text("{}: there is no '{}' in the archive", name, member));
  }
  return status;
}

}  // namespace

bool ZipArchive::is_available() { return true; }

void ZipArchive::Close::operator()(zip* archive) const { zip_discard(archive); }

ZipArchive::ZipArchive(std::string_view bytes, const std::string& name)
    : name_(name), bytes_(bytes.size()), archive_(open(name_, [&](zip_error_t& error) {
        return zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
      })) {}

ZipArchive::ZipArchive(const std::filesystem::path& path)
    : name_(path.string()),
      bytes_(size_of_file(path)),
      archive_(open(name_, [&](zip_error_t& error) { return zip_source_file_create(name_.c_str(), 0, -1, &error); })) {}

bool ZipArchive::has(const std::string& member) const {
  return zip_name_locate(archive_.get(), member.c_str(), 0) >= 0;
}

std::size_t ZipArchive::size(const std::string& member) const {
  const zip_stat_t status = status_of(archive_.get(), member, name_);
  // What the archive says may be a lie, but not one that takes memory.
  return std::min<std::size_t>(status.size, largest_ratio * std::min<std::size_t>(status.comp_size, bytes_));
}

GrowingText ZipArchive::read(Context<Host>& ctx, const std::string& member, std::size_t first, std::size_t wanted,
                             bool to_the_end) const {
  constexpr std::size_t skipped_at_once = std::size_t{1} << 16;
  const auto fail = [&](const char* reason) {
    throw_unreadable(name_, format_text("'{}' in the zip archive is corrupt ({})", member, reason));
  };
  const std::size_t most = size(member);
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(zip_fopen(archive_.get(), member.c_str(), 0),
                                                               zip_fclose);
  if (file == nullptr) {
    fail(zip_strerror(archive_.get()));
  }
  const auto take = [&](char* room, std::size_t size) {
    const zip_int64_t count = zip_fread(file.get(), room, size);
    if (count < 0) {
      fail(zip_file_strerror(file.get()));
    }
    return static_cast<std::size_t>(count);
  };
  const auto skip = [&](std::size_t size) {
    Buffer<char, Host> room(ctx, std::min(size, skipped_at_once));
    for (std::size_t count = 1; size > 0 && count > 0; size -= count) {
      count = take(room.data(), std::min(size, room.size()));
    }
  };
  skip(first);
  GrowingText bytes(ctx, std::min(most, wanted) + 1);
  while (bytes.text().size() < wanted) {
    const Span<char, Host> room = bytes.room();
    const std::size_t count = take(room.data(), std::min(room.size(), wanted - bytes.text().size()));
    if (count == 0) {
      break;
    }
    bytes.append(count);
  }
  if (to_the_end) {
    skip(std::numeric_limits<std::size_t>::max());
  }
  return bytes;
}

#else

bool ZipArchive::is_available() { return false; }

void ZipArchive::Close::operator()(zip* /*archive*/) const {}

ZipArchive::ZipArchive(std::string_view /*bytes*/, const std::string& name) {
  throw_unreadable(name, "it is a zip archive, as .npz files are, and this amgsolve was built without libzip");
}

ZipArchive::ZipArchive(const std::filesystem::path& path) : ZipArchive(std::string_view(), path.string()) {}

bool ZipArchive::has(const std::string& /*member*/) const { return false; }

std::size_t ZipArchive::size(const std::string& /*member*/) const { return bytes_; }

GrowingText ZipArchive::read(Context<Host>& ctx, const std::string& /*member*/, std::size_t /*first*/,
                             std::size_t /*wanted*/, bool /*to_the_end*/) const {
  return {ctx, 0};
}

#endif

}  // namespace amgsolve
