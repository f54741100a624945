#pragma once

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <string>

namespace amgsolve {

/// Base of the errors that reach a user. A caller's mistake in the code (sizes that do not match) is a
/// std::invalid_argument instead; non-convergence is a result and not an exception.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Wrong configuration or command line; exit code 2.
class ConfigurationError : public Error {
 public:
  using Error::Error;
};

/// Unreadable or invalid input: a file, a matrix, a vector, a size past the limits; exit code 3.
class InputError : public Error {
 public:
  using Error::Error;
};

/// A result that cannot be written: no such directory, no permission, a full disk; exit code 3.
class OutputError : public Error {
 public:
  using Error::Error;
};

/// An allocation failed or passed the limit set, or would if work went on; exit code 4.
class OutOfMemoryError : public Error {
 public:
  OutOfMemoryError(const std::string& message, std::size_t bytes_wanted, std::size_t bytes_free);

  /// @param where  the phase and level at work, as Profile::current_path() prints them
  /// @param space  "host" or "device"
  OutOfMemoryError(const std::string& where, const char* space, std::size_t bytes_wanted, std::size_t bytes_free);

  std::size_t bytes_wanted() const noexcept { return bytes_wanted_; }
  std::size_t bytes_free() const noexcept { return bytes_free_; }

 private:
  std::size_t bytes_wanted_;
  std::size_t bytes_free_;
};

/// The numbers broke the method: NaN or infinity, an indefinite or non-symmetric matrix under CG, a diagonal that is
/// not positive; exit code 5.
class BreakdownError : public Error {
 public:
  using Error::Error;
};

/// No device, a device that failed, or a build without CUDA asked for one; exit code 6.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// The program asked for the end of what was at work (Context::set_stop()); exit code 7.
class InterruptedError : public Error {
 public:
  /// @param where  the phase and level at work, as Profile::current_path() prints them
  explicit InterruptedError(const std::string& where);

  /// With the whole message of another one.
  struct Message {
    std::string text;
  };
  explicit InterruptedError(const Message& message) : Error(message.text) {}
};

/// The same of one of several ranks alone, which could not wait for a step at which all end: the others may be
/// anywhere, and it exchanges nothing with them any more but that it failed.
class OutOfStepError : public InterruptedError {
 public:
  using InterruptedError::InterruptedError;
};

/// Messages between ranks failed, on this one perhaps alone: nothing can be agreed on with the others any more. Made
/// where what sends them throws, which rethrow_nested() throws again.
class CommunicationError : public std::runtime_error, public std::nested_exception {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace amgsolve
