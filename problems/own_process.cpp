#include "problems/own_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <new>
#include <optional>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/output_file.hpp"

namespace amgsolve {
namespace {

/// How the process ends, beside what sanitizers and libraries may choose.
enum Exit { done = 0, refused = 101, out_of_memory = 102 };

/// A message of that length passes without a reader.
constexpr std::size_t longest_message = 4096;

class Pipe {
 public:
  Pipe() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) {
      throw OutOfMemoryError(format_text("a pipe cannot be opened: {}", std::strerror(errno)), 0, 0);
    }
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  void close_reading() { close_end(0); }
  void close_writing() { close_end(1); }

 private:
  void close_end(std::size_t end) {
    if (ends_[end] >= 0) {
      ::close(ends_[end]);
      ends_[end] = -1;
    }
  }

  std::array<int, 2> ends_{-1, -1};
};

/// Ends with its owner.
class Child {
 public:
  explicit Child(pid_t id) : id_(id) {}
  ~Child() {
    if (id_ > 0) {
      ::kill(id_, SIGKILL);
      wait();
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int wait() {
    int status = 0;
    while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
    }
    id_ = -1;
    return status;
  }

 private:
  pid_t id_;
};

void limit_memory(std::size_t more) {
  std::size_t pages = 0;
  if (std::ifstream("/proc/self/statm") >> pages) {
    const std::size_t there = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) == 0 && more < limit.rlim_cur && there < limit.rlim_cur - more) {
      limit.rlim_cur = there + more;
      ::setrlimit(RLIMIT_AS, &limit);
    }
  }
}

/// Never returns: what the parent's objects would do at their end is the parent's.
[[noreturn]] void be_child(const ProcessSink& sink, int errors, std::size_t memory,
                           const std::function<void(const ProcessSink&)>& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPIPE}) {
    std::signal(number, SIG_DFL);  // what handles or ignores them is the parent's
  }
  // What the C library says of a heap that is no more is not for our user.
  if (const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0) {
    ::dup2(nowhere, STDOUT_FILENO);
    ::dup2(nowhere, STDERR_FILENO);
  }
  try {
    if (memory < std::numeric_limits<std::size_t>::max()) {
      limit_memory(memory);
    }
    work(sink);
  } catch (const InputError& error) {
    const std::size_t size = std::min(std::strlen(error.what()), longest_message);
    ::_exit(::write(errors, error.what(), size) == static_cast<ssize_t>(size) ? refused : out_of_memory);
  } catch (...) {
    ::_exit(out_of_memory);
  }
  ::_exit(done);
}

std::string message_in(const Pipe& errors) {
  std::string message(longest_message, '\0');
  const ssize_t size = ::read(errors.reading(), message.data(), message.size());
  message.resize(static_cast<std::size_t>(std::max(size, ssize_t{0})));
  return message;
}

/// Throws what the end of the process means for its reader.
[[noreturn]] void throw_for(int status, const std::string& name, std::string_view library, const Pipe& errors) {
  const bool has_exited = WIFEXITED(status);
  if (has_exited && WEXITSTATUS(status) == refused) {
    throw InputError(message_in(errors));
  }
  // The kernel takes a process whose memory it wants by a signal that nobody else sends.
  if ((has_exited && WEXITSTATUS(status) == out_of_memory) || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)) {
    throw OutOfMemoryError(format_text("{}: {} has not enough memory for what this is, or claims to be", name, library),
                           0, 0);
  }
  throw InputError(format_text("{}: {} falls over it{}: the data are damaged, or {} is wrong", name, library,
                               WIFSIGNALED(status) ? format_text(" by signal {}", WTERMSIG(status)) : "", library));
}

}  // namespace

void ProcessSink::write(const void* bytes, std::size_t size) const {
  if (!write_all(pipe_, {static_cast<const char*>(bytes), size}, OnSignal::go_on)) {
    ::_exit(done);  // nobody reads any more
  }
}

void ProcessSource::read(void* bytes, std::size_t size) const {
  char* next = static_cast<char*>(bytes);
  while (size > 0) {
    wait_();
    const ssize_t count = ::read(pipe_, next, size);
    if (count == 0 || (count < 0 && errno != EINTR)) {
      throw Ended();
    }
    next += std::max(count, ssize_t{0});
    size -= static_cast<std::size_t>(std::max(count, ssize_t{0}));
  }
}

bool ProcessSource::is_at_end() const {
  try {
    take<char>();
    return false;
  } catch (const Ended&) {
    return true;
  }
}

ProcessBounds ProcessBounds::of_file(std::size_t bytes) {
  // Gmsh reads 10 MB/s or more and keeps some 20 bytes for each of them; deflate makes a thousand of one.
  constexpr double shortest = 10.0;
  constexpr double seconds_for_byte = 1e-5;
  constexpr std::size_t least = std::size_t{1} << 30;
  constexpr std::size_t largest_ratio = 2500;
  return {.time = std::chrono::duration<double>(shortest + seconds_for_byte * static_cast<double>(bytes)),
          .memory = bytes > std::numeric_limits<std::size_t>::max() / (2 * largest_ratio)
                        ? std::numeric_limits<std::size_t>::max()
                        : least + largest_ratio * bytes};
}

void in_own_process(const std::string& name, std::string_view library, const ProcessBounds& bounds,
                    const std::function<void()>& poll, const std::function<void(const ProcessSink&)>& work,
                    const std::function<void(const ProcessSource&)>& take) {
  Pipe results;
  Pipe errors;
  const auto begin = std::chrono::steady_clock::now();
  const pid_t id = ::fork();
  if (id < 0) {
    throw OutOfMemoryError(format_text("{}: no process can be begun for {}: {}", name, library, std::strerror(errno)),
                           0, 0);
  }
  if (id == 0) {
    results.close_reading();  // or nobody would tell the child that its parent no longer reads
    be_child(ProcessSink(results.writing()), errors.writing(), bounds.memory, work);
  }
  Child child(id);
  results.close_writing();
  errors.close_writing();
  const auto wait = [&] {
    constexpr int milliseconds = 20;
    pollfd there{.fd = results.reading(), .events = POLLIN, .revents = 0};
    while (::poll(&there, 1, milliseconds) <= 0) {
      poll();
      if (std::chrono::steady_clock::now() - begin > bounds.time) {
        throw InputError(format_text("{}: {} does not come to an end within {:.3g} s: the data are damaged", name,
                                     library, bounds.time.count()));
      }
    }
    poll();
  };
  const ProcessSource source(results.reading(), wait);
  bool is_taken = false;
  try {
    take(source);
    is_taken = source.is_at_end();
  } catch (const ProcessSource::Ended&) {
  }
  results.close_reading();  // or a child that has more to send would wait for ever
  if (const int status = child.wait(); !is_taken || !WIFEXITED(status) || WEXITSTATUS(status) != done) {
    throw_for(status, name, library, errors);
  }
}

}  // namespace amgsolve
