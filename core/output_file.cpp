#include "core/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
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

}  // namespace

fs::path followed_links(fs::path path) {
  constexpr int most_links = 40;  // as many as the system follows
  std::error_code error;
  for (int i = 0; i < most_links && fs::is_symlink(fs::symlink_status(path, error)); ++i) {
    path = path.parent_path() / fs::read_symlink(path, error);
  }
  return path;
}

OutputFile::OutputFile(fs::path path, int descriptor)
    : path_(std::move(path)), target_(path_), descriptor_(descriptor) {}

// Delegates, so that the destructor cleans up after what throws here.
OutputFile::OutputFile(const fs::path& path) : OutputFile(path, -1) {
  std::error_code error;
  const fs::file_type type = fs::status(path_, error).type();
  if (type == fs::file_type::none) {  // links that go round in a circle, or a name that is too long
    fail(error.message());
  }
  if (type == fs::file_type::directory) {
    fail("it is a directory");
  }
  const bool exists = fs::exists(fs::file_status(type));
  if (exists && type != fs::file_type::regular) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) {
      fail_with_errno();
    }
    return;
  }
  if (exists) {
    if (::access(path_.c_str(), W_OK) != 0) {
      fail_with_errno();
    }
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
    if (errno == ENOENT) {
      fail(format_text("there is no directory '{}'", directory.string()));
    }
    if (errno != EEXIST) {
      fail_with_errno();
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
    return {.path = fs::absolute(temporary_).string()};
  }
  // Those of other machines may find another file there.
  const std::uint64_t mark = any_number() | 1U;
  write_at(0, {reinterpret_cast<const char*>(&mark), sizeof(mark)});
  return {.path = format_text("/proc/{}/fd/{}", ::getpid(), descriptor_), .mark = mark};
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else {
      fail_with_errno();
    }
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
  fail(std::generic_category().message(errno));
}

void write_file_atomically(const fs::path& path, std::string_view contents) {
  OutputFile file(path);
  file.write(contents);
  file.commit();
}

}  // namespace amgsolve
