#include "core/input_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "core/errors.hpp"
#include "core/format.hpp"

namespace amgsolve {
namespace {

constexpr std::chrono::milliseconds turn(20);
constexpr int turns_without_writer = 25;

std::string reason_of(int error) { return std::generic_category().message(error); }

/// Why nothing of that kind is read; empty where it is.
std::string_view reason_of_kind(mode_t mode) {
  return S_ISREG(mode) || S_ISFIFO(mode) ? "" : S_ISDIR(mode) ? "it is a directory" : "it is a device, not a file";
}

}  // namespace

MappedFile::~MappedFile() {
  if (begin_ != nullptr) {
    ::munmap(const_cast<void*>(begin_), size_);
  }
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : begin_(std::exchange(other.begin_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(begin_, other.begin_);
  std::swap(size_, other.size_);
  return *this;
}

InputFile::InputFile(const std::filesystem::path& path)
    : path_(path.string()), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
  struct stat status {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) {
    const int error = errno;
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
    fail("cannot open", reason_of(error));
  }
  is_pipe_ = S_ISFIFO(status.st_mode);
  if (const std::string_view reason = reason_of_kind(status.st_mode); !reason.empty()) {
    ::close(descriptor_);
    fail("cannot open", reason);
  }
  expected_size_ = static_cast<std::size_t>(status.st_size);
}

InputFile::~InputFile() { ::close(descriptor_); }

void InputFile::fail(std::string_view what, std::string_view reason) const {
  throw InputError(format_text("{}: {}: {}", path_, what, reason));
}

void InputFile::wait_for_bytes() const {
  pollfd waiting{.fd = descriptor_, .events = POLLIN, .revents = 0};
  ::poll(&waiting, 1, static_cast<int>(turn.count()));
}

std::size_t InputFile::read(Span<char, Host> room, const std::function<void()>& wait) {
  for (int turns = 0;; ++turns) {
    const ssize_t bytes = ::read(descriptor_, room.data(), room.size());
    if (bytes > 0 || (bytes == 0 && (!is_pipe_ || has_begun_))) {
      has_begun_ = true;
      return static_cast<std::size_t>(bytes);
    }
    if (bytes < 0 && errno != EAGAIN && errno != EINTR) {
      fail("cannot read", reason_of(errno));
    }
    if (bytes == 0 && turns >= turns_without_writer) {
      fail("cannot read", "nobody writes to this pipe");
    }
    has_begun_ = has_begun_ || (bytes < 0 && errno == EAGAIN);
    wait();
    if (bytes == 0) {
      std::this_thread::sleep_for(turn);
    } else {
      wait_for_bytes();
    }
  }
}

std::size_t InputFile::read_at(std::size_t offset, Span<char, Host> room) const {
  for (;;) {
    const ssize_t bytes = ::pread(descriptor_, room.data(), room.size(), static_cast<off_t>(offset));
    if (bytes >= 0) {
      return static_cast<std::size_t>(bytes);
    }
    if (errno != EINTR) {
      fail("cannot read", reason_of(errno));
    }
  }
}

MappedFile InputFile::map(bool whole) const {
  void* const begin =
      expected_size_ == 0 ? MAP_FAILED : ::mmap(nullptr, expected_size_, PROT_READ, MAP_PRIVATE, descriptor_, 0);
  if (begin == MAP_FAILED) {
    return {};
  }
  if (whole) {
    ::madvise(begin, expected_size_, MADV_WILLNEED);
  }
  return {begin, expected_size_};
}

std::string reason_not_to_read(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return reason_of(errno);
  }
  const std::string_view reason = reason_of_kind(status.st_mode);
  return reason.empty() && ::access(path.c_str(), R_OK) != 0 ? reason_of(errno) : std::string(reason);
}

}  // namespace amgsolve
