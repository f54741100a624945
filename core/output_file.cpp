#include "core/output_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <system_error>
#include <utility>

#include "core/errors.hpp"
#include "core/format.hpp"

namespace amgsolve {
namespace fs = std::filesystem;
namespace {

/// Where an open file can be found that has no name.
std::string place_of(int descriptor) { return format_text("/proc/self/fd/{}", descriptor); }

/// By chance: processes of other machines that write into the same directory may have the same number as this one.
std::uint64_t any_number() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) + device();
}

/// As followed_links(), up to a path that is the last one.
template <class IsLast>
fs::path follow_links(fs::path path, const IsLast& is_last) {
  constexpr int most_links = 40;  // as many as the system follows
  std::error_code error;
  for (int i = 0; i < most_links && !is_last(path) && fs::is_symlink(fs::symlink_status(path, error)); ++i) {
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  return path;
}

std::string errno_message() { return std::generic_category().message(errno); }

/// What errno says of a file that is made in the directory.
std::string reason_not_to_make_in(const fs::path& directory) {
  if (errno != ENOENT) {
    return errno_message();
  }
  std::error_code error;
  const fs::path place = directory.empty() ? fs::current_path(error) : directory;
  if (error) {
    return "the working directory is gone";
  }
  return format_text("{} '{}'", fs::is_directory(place, error) ? "no file can be made in" : "there is no directory",
                     place.string());
}

}  // namespace

bool write_all(int descriptor, std::string_view bytes, OnSignal on_signal) {
  pollfd room{.fd = descriptor, .events = POLLOUT, .revents = 0};
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if ((errno != EAGAIN || ::poll(&room, 1, -1) < 0) && (errno != EINTR || on_signal == OnSignal::give_up)) {
      return false;
    }
  }
  return true;
}

fs::path followed_links(fs::path path) {
  return follow_links(std::move(path), [](const fs::path&) { return false; });
}

std::optional<int> named_descriptor(const fs::path& path) {
  std::error_code error;
  const fs::path descriptors = fs::canonical("/proc/self/fd", error);
  const auto is_descriptor = [&](const fs::path& name) {
    std::error_code none;
    return !descriptors.empty() && fs::canonical(name.parent_path(), none) == descriptors;
  };
  const fs::path name = follow_links(path, is_descriptor);
  const std::string number = name.filename().string();
  int descriptor = 0;
  const auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), descriptor);
  const bool is_number = failure == std::errc{} && end == number.data() + number.size();
  return is_number && is_descriptor(name) ? std::optional(descriptor) : std::nullopt;
}

bool share_a_place(const fs::path& a, const fs::path& b) {
  const std::optional<int> first = named_descriptor(a);
  const std::optional<int> second = named_descriptor(b);
  const auto look = [](const fs::path& path, std::optional<int> descriptor, struct stat& file) {
    return (descriptor ? ::fstat(*descriptor, &file) : ::stat(path.c_str(), &file)) == 0;
  };
  struct stat file {};
  struct stat other {};
  struct stat nowhere {};
  if (!look(a, first, file) || !look(b, second, other) || file.st_dev != other.st_dev || file.st_ino != other.st_ino) {
    return false;
  }
  const bool is_nowhere =
      ::stat("/dev/null", &nowhere) == 0 && S_ISCHR(file.st_mode) && file.st_rdev == nowhere.st_rdev;
  return !is_nowhere && (first || second || !S_ISREG(file.st_mode));
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code error;
  return fs::weakly_canonical(followed_links(a), error) == fs::weakly_canonical(followed_links(b), error);
}

bool is_written_over(const fs::path& written, const fs::path& other) {
  std::error_code error;
  const bool is_in_place =
      named_descriptor(written) || (fs::exists(written, error) && !fs::is_regular_file(written, error));
  return !is_in_place && is_same_file(written, other);
}

std::string reason_not_to_write(const fs::path& path) {
  if (const std::optional<int> descriptor = named_descriptor(path)) {
    const int flags = ::fcntl(*descriptor, F_GETFL);
    return flags < 0 ? errno_message() : (flags & O_ACCMODE) == O_RDONLY ? "it is open for reading only" : "";
  }
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (status.type() == fs::file_type::none) {  // links that go round in a circle, or a name that is too long
    return error.message();
  }
  if (fs::is_directory(status)) {
    return "it is a directory";
  }
  if (fs::exists(status) && ::access(path.c_str(), W_OK) != 0) {
    return errno_message();
  }
  const fs::path directory = followed_links(path).parent_path();
  const fs::path as_directory = directory.empty() ? "." : directory / "";  // a file is none
  if (!fs::is_other(status) && ::access(as_directory.c_str(), W_OK | X_OK) != 0) {
    return reason_not_to_make_in(directory);
  }
  return {};
}

OutputFile::OutputFile(fs::path path, int descriptor)
    : path_(std::move(path)), target_(path_), descriptor_(descriptor) {}

// Delegates, so that the destructor cleans up after what throws here.
OutputFile::OutputFile(const fs::path& path) : OutputFile(path, -1) {
  if (const std::string reason = reason_not_to_write(path_); !reason.empty()) {
    fail(reason);
  }
  std::error_code error;
  const std::optional<int> open = named_descriptor(path_);
  const fs::file_status status = fs::status(path_, error);
  const bool exists = fs::exists(status);
  if (open || fs::is_other(status)) {
    // Opened anew a file would be written from its beginning, and a socket not at all.
    descriptor_ = open ? ::fcntl(*open, F_DUPFD_CLOEXEC, 0) : ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
      fail_with_errno();
    }
    return;
  }
  if (exists) {
    target_ = fs::canonical(path_, error);
    if (error) {
      fail(error.message());
    }
  } else {
    target_ = followed_links(path_);
  }
  create_temporary();
  if (struct stat replaced{}; exists && ::stat(target_.c_str(), &replaced) == 0) {
    static_cast<void>(!::fchmod(descriptor_, replaced.st_mode & 0777));  // where the file system has no modes, it stays
  }
}

OutputFile::OutputFile(const fs::path& path, const Place& shared)
    : OutputFile(path, ::open(shared.path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)) {
  std::uint64_t mark = shared.mark;
  const bool is_it = mark == 0 || (::pread(descriptor_, &mark, sizeof(mark), 0) == sizeof(mark) && mark == shared.mark);
  if (is_open() && !is_it) {
    ::close(std::exchange(descriptor_, -1));
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
  if (!temporary_.empty()) {
    ::unlink(temporary_.c_str());
  }
}

/// A name for the temporary file that make(name) succeeds with; it fails with errno EEXIST where one is taken.
template <class Make>
void OutputFile::name_temporary(Make&& make) {
  const fs::path directory = target_.parent_path();
  for (;;) {
    fs::path candidate = directory / format_text(".amgsolve-{:016x}.tmp", any_number());
    if (make(candidate.c_str())) {
      temporary_ = std::move(candidate);
      return;
    }
    if (errno != EEXIST) {
      fail(reason_not_to_make_in(directory));
    }
  }
}

void OutputFile::create_temporary() {
  const fs::path directory = target_.has_parent_path() ? target_.parent_path() : ".";
  descriptor_ = ::open(directory.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
  is_nameless_ = descriptor_ >= 0 && ::access(place_of(descriptor_).c_str(), F_OK) == 0;
  if (is_nameless_) {
    return;
  }
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
  name_temporary([this](const char* name) {
    descriptor_ = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return descriptor_ >= 0;
  });
}

void OutputFile::name_temporary() {
  if (is_nameless_) {
    name_temporary([this](const char* name) {
      return ::linkat(AT_FDCWD, place_of(descriptor_).c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
    });
    is_nameless_ = false;
  }
}

OutputFile::Place OutputFile::share(std::size_t size, bool by_name) {
  if (by_name) {
    name_temporary();
  }
  if (!is_nameless_ && temporary_.empty()) {
    return {};
  }
  if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) {
    constexpr std::array not_here{EPERM, EINVAL, ENOSYS, EOPNOTSUPP};  // by this file system
    if (std::ranges::find(not_here, errno) != not_here.end()) {
      return {};
    }
    fail_with_errno();
  }
  if (!is_nameless_) {
    std::error_code is_nowhere;
    return {.path = fs::absolute(temporary_, is_nowhere).string()};
  }
  // Those of other machines may find another file there.
  const std::uint64_t mark = any_number() | 1U;
  write_at(0, {reinterpret_cast<const char*>(&mark), sizeof(mark)});
  return {.path = format_text("/proc/{}/fd/{}", ::getpid(), descriptor_), .mark = mark};
}

void OutputFile::write(std::string_view bytes) {
  if (!write_all(descriptor_, bytes)) {
    fail_with_errno();
  }
}

void OutputFile::write_at(std::size_t place, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (written < 0) {
      fail_with_errno();
    }
    place += static_cast<std::size_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::commit() {
  name_temporary();
  // Network file systems and quotas report their errors as late as here.
  if (::close(std::exchange(descriptor_, -1)) != 0) {
    fail_with_errno();
  }
  if (!temporary_.empty()) {
    if (::rename(temporary_.c_str(), target_.c_str()) != 0) {
      fail_with_errno();
    }
    temporary_.clear();
  }
}

void OutputFile::fail(std::string_view reason) const {
  throw OutputError(format_text("{}: cannot write: {}", path_.string(), reason));
}

void OutputFile::fail_with_errno() const {
  if (errno == EINTR) {  // while a pipe was waited for
    throw InterruptedError(format_text("writing {}", path_.string()));
  }
  fail(errno_message());
}

void write_file_atomically(const fs::path& path, std::string_view contents) {
  OutputFile file(path);
  file.write(contents);
  file.commit();
}

}  // namespace amgsolve
