#include "core/collectively.hpp"

#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/vector_error.hpp"

namespace amgsolve {
namespace {

enum class Kind : std::uint64_t {
  configuration,
  input,
  vector,
  output,
  memory,
  breakdown,
  device,
  interrupted,
  argument,
  other,
};

// What a rank says of itself in a round of agreement: nothing, 1 where it is asked to end at a step, and from here on
// that it has failed.
constexpr std::int64_t failed = 2;

template <class Error>
bool holds(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error&) {
    return true;
  } catch (...) {
    return false;
  }
}

/// What goes to the other ranks before the message. Its bytes are compared.
struct Head {
  Kind kind = Kind::other;
  std::uint64_t bytes_wanted = 0;
  std::uint64_t bytes_free = 0;
  std::uint64_t role = 0;  ///< of a VectorError
};
static_assert(std::has_unique_object_representations_v<Head>);

std::vector<char> packed(Head head, const char* message) {
  std::vector<char> bytes(sizeof(Head) + std::strlen(message));
  std::memcpy(bytes.data(), &head, sizeof(Head));
  std::memcpy(bytes.data() + sizeof(Head), message, bytes.size() - sizeof(Head));
  return bytes;
}

std::vector<char> describe(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const ConfigurationError& error) {
    return packed({Kind::configuration}, error.what());
  } catch (const VectorError& error) {
    return packed({.kind = Kind::vector, .role = static_cast<std::uint64_t>(error.role())}, error.what());
  } catch (const InputError& error) {
    return packed({Kind::input}, error.what());
  } catch (const OutputError& error) {
    return packed({Kind::output}, error.what());
  } catch (const OutOfMemoryError& error) {
    return packed({Kind::memory, error.bytes_wanted(), error.bytes_free()}, error.what());
  } catch (const BreakdownError& error) {
    return packed({Kind::breakdown}, error.what());
  } catch (const DeviceError& error) {
    return packed({Kind::device}, error.what());
  } catch (const InterruptedError& error) {
    return packed({Kind::interrupted}, error.what());
  } catch (const std::invalid_argument& error) {
    return packed({Kind::argument}, error.what());
  } catch (const std::bad_alloc&) {
    return packed({Kind::memory}, "out of memory");
  } catch (const std::exception& error) {
    return packed({Kind::other}, error.what());
  } catch (...) {
    return packed({Kind::other}, "unknown failure");
  }
}

[[noreturn]] void throw_described(std::span<const char> bytes, int rank) {
  Head head;
  std::memcpy(&head, bytes.data(), sizeof(Head));
  const std::string message = format_text("rank {}: {}", rank, std::string(bytes.begin() + sizeof(Head), bytes.end()));
  switch (head.kind) {
    case Kind::configuration:
      throw ConfigurationError(message);
    case Kind::input:
      throw InputError(message);
    case Kind::vector:
      throw VectorError(static_cast<VectorError::Role>(head.role), message);
    case Kind::output:
      throw OutputError(message);
    case Kind::memory:
      throw OutOfMemoryError(message, head.bytes_wanted, head.bytes_free);
    case Kind::breakdown:
      throw BreakdownError(message);
    case Kind::device:
      throw DeviceError(message);
    case Kind::interrupted:
      throw InterruptedError(InterruptedError::Message{message});
    case Kind::argument:
      throw std::invalid_argument(message);
    case Kind::other:
      break;
  }
  throw std::runtime_error(message);
}

}  // namespace

void agree_on_failure(const Communicator& communicator, std::exception_ptr failure, bool same_work) {
  if (failure && holds<CommunicationError>(failure)) {
    std::rethrow_exception(failure);
  }
  const int size = communicator.size();
  const int before_last = size - 1 - communicator.rank();
  const std::int64_t own = failure ? failed + before_last + (holds<InterruptedError>(failure) ? 0 : size) : 0;
  // Those that are at a step come here from there.
  std::int64_t highest = 0;
  do {
    highest = communicator.max(own);
    if (highest == 0) {
      return;
    }
  } while (highest < failed || communicator.max(0) != 0);
  if (same_work) {
    const std::vector<char> said = failure ? describe(failure) : std::vector<char>();
    std::vector<char> alike;
    for (int rank = 0; rank < size; ++rank) {
      alike.insert(alike.end(), said.begin(), said.end());
    }
    const std::vector<char> all = communicator.all_gather_list(std::span<const char>(said));
    if (communicator.max(all == alike ? 0 : 1) == 0) {
      std::rethrow_exception(failure);
    }
  }
  const int rank = size - 1 - static_cast<int>((highest - failed) % size);
  const std::vector<char> message = rank == communicator.rank() ? describe(failure) : std::vector<char>();
  throw_described(communicator.all_gather_list(std::span<const char>(message)), rank);
}

bool agree_on_step(const Communicator& communicator, bool is_asked) {
  const std::int64_t highest = communicator.max(is_asked ? 1 : 0);
  if (highest >= failed) {
    communicator.max(1);
  }
  return highest > 0;
}

}  // namespace amgsolve
