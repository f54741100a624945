#include "problems/zip_archive.hpp"

#if AMGSOLVE_HAVE_ZIP
#include <zip.h>

#include <algorithm>
#include <utility>
#endif

#include "core/errors.hpp"
#include "core/format.hpp"

namespace amgsolve {

#if AMGSOLVE_HAVE_ZIP

namespace {

/// Of libzip's own error, which is freed.
std::string reason_of(zip_error_t& error) {
  std::string reason = zip_error_strerror(&error);
  zip_error_fini(&error);
  return format_text("the zip archive is corrupt ({})", reason);
}

}  // namespace

bool ZipArchive::is_available() { return true; }

void ZipArchive::Close::operator()(zip* archive) const { zip_discard(archive); }

ZipArchive::ZipArchive(std::string_view bytes, const std::string& name) : name_(name) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* const source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error);
  if (source == nullptr) {
    throw_unreadable(name_, reason_of(error));
  }
  archive_.reset(zip_open_from_source(source, ZIP_RDONLY, &error));
  if (archive_ == nullptr) {
    zip_source_free(source);
    throw_unreadable(name_, reason_of(error));
  }
}

bool ZipArchive::has(const std::string& member) const {
  return zip_name_locate(archive_.get(), member.c_str(), 0) >= 0;
}

GrowingText ZipArchive::read(Context<Host>& ctx, const std::string& member, std::size_t wanted) const {
  constexpr std::size_t largest_ratio = 1100;  // of deflate, a little more
  const auto fail = [&] {
    throw_unreadable(name_,
                     format_text("'{}' in the zip archive is corrupt ({})", member, zip_strerror(archive_.get())));
  };
  zip_stat_t status;
  if (zip_stat(archive_.get(), member.c_str(), 0, &status) != 0) {
    throw InputError(format_text("{}: there is no '{}' in the archive", name_, member));
  }
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(zip_fopen(archive_.get(), member.c_str(), 0),
                                                               zip_fclose);
  if (file == nullptr) {
    fail();
  }
  // What the archive says of the size may be a lie, but not one that takes memory.
  const std::size_t size = std::min({static_cast<std::size_t>(status.size), wanted, largest_ratio * status.comp_size});
  GrowingText bytes(ctx, size + 1);
  while (bytes.text().size() < wanted) {
    const Span<char, Host> room = bytes.room();
    const zip_int64_t count = zip_fread(file.get(), room.data(), room.size());
    if (count < 0) {
      throw_unreadable(name_,
                       format_text("'{}' in the zip archive is corrupt ({})", member, zip_file_strerror(file.get())));
    }
    if (count == 0) {
      break;
    }
    bytes.append(static_cast<std::size_t>(count));
  }
  return bytes;
}

#else

bool ZipArchive::is_available() { return false; }

void ZipArchive::Close::operator()(zip* /*archive*/) const {}

ZipArchive::ZipArchive(std::string_view /*bytes*/, const std::string& name) {
  throw_unreadable(name, "it is a zip archive, as .npz files are, and this amgsolve was built without libzip");
}

bool ZipArchive::has(const std::string& /*member*/) const { return false; }

GrowingText ZipArchive::read(Context<Host>& ctx, const std::string& /*member*/, std::size_t /*wanted*/) const {
  return {ctx, 0};
}

#endif

}  // namespace amgsolve
