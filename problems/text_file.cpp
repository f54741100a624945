#include "problems/text_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "core/errors.hpp"
#include "core/timer.hpp"
#include "problems/decompress.hpp"

namespace amgsolve {
namespace {

class InputDescriptor {
 public:
  explicit InputDescriptor(const std::string& path)
      : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) {
      fail("cannot open");
    }
  }
  ~InputDescriptor() { ::close(descriptor_); }
  InputDescriptor(const InputDescriptor&) = delete;
  InputDescriptor& operator=(const InputDescriptor&) = delete;

  /// What the file system tells; 0 for pipes.
  std::size_t expected_size() const {
    struct stat status {};
    return ::fstat(descriptor_, &status) == 0 ? static_cast<std::size_t>(status.st_size) : 0;
  }

  /// Bytes read into `room`; 0 at the end of the file.
  std::size_t read(Span<char, Host> room) const {
    for (;;) {
      const ssize_t bytes = ::read(descriptor_, room.data(), room.size());
      if (bytes >= 0) {
        return static_cast<std::size_t>(bytes);
      }
      if (errno != EINTR) {
        fail("cannot read");
      }
    }
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw InputError(fmt::format("{}: {}: {}", path_, what, std::generic_category().message(errno)));
  }

  const std::string& path_;
  int descriptor_;
};

GrowingText read_bytes(Context<Host>& ctx, const std::string& path) {
  const InputDescriptor file(path);
  // One byte more, so that the end of the file shows without growing.
  GrowingText bytes(ctx, file.expected_size() + 1);
  for (;;) {
    const std::size_t count = file.read(bytes.room());
    if (count == 0) {
      return bytes;
    }
    bytes.append(count);
  }
}

GrowingText read_text(Context<Host>& ctx, const std::string& path) {
  GrowingText bytes = read_bytes(ctx, path);
  switch (compression_of(bytes.text())) {
    case Compression::gzip:
      return decompress_gzip(ctx, path, bytes.text());
    case Compression::xz:
      return decompress_xz(ctx, path, bytes.text());
    case Compression::none:
      break;
  }
  return bytes;
}

}  // namespace

TextFile::TextFile(Context<Host>& ctx, const std::filesystem::path& path) : path_(path.string()) {
  const ScopedTimer timer(ctx, "load");
  GrowingText text = read_text(ctx, path_);
  size_ = text.text().size();
  bytes_ = std::move(text).release();
}

}  // namespace amgsolve
