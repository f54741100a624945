#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/span.hpp"
#include "core/types.hpp"

struct CUstream_st;

namespace amgsolve {

/// The ranks that share a matrix, by rows: what the results of a rank depend on beside its own rows and ghosts. A
/// context is given one, serial by default. Sums are of integers, which have the same bits in any order; what is summed
/// in floating point goes through core/global_sum.hpp. Every rank of a communicator calls the same functions in the
/// same order, exchange() apart.
///
/// What takes a stream is for values in the memory of that stream's device: it is done, as kernels are, when the stream
/// gets there, and the arrays stay as they are until then. Ranks that have host memory only throw DeviceError.
class Communicator {
 public:
  /// Bytes for another rank, and room for those of another rank.
  struct Outgoing {
    int rank;
    std::span<const std::byte> bytes;
    /// Where there are any the message is these rows of `bytes`, one after another; see picks_rows().
    Span<const Index, Cuda> rows{};
    std::size_t row_bytes = 0;

    std::size_t size() const { return rows.empty() ? bytes.size() : rows.size() * row_bytes; }
  };
  struct Incoming {
    int rank;
    std::span<std::byte> bytes;
  };

  /// What a rank has sent.
  struct Messages {
    std::int64_t exchanges = 0;
    std::int64_t sums = 0;     ///< and largest of the ranks' numbers
    std::int64_t gathers = 0;  ///< and numbers of all for all
    std::int64_t bytes_sent = 0;

    void add(const Messages& other, std::int64_t times = 1) {
      exchanges += times * other.exchanges;
      sums += times * other.sums;
      gathers += times * other.gathers;
      bytes_sent += times * other.bytes_sent;
    }
  };

  virtual ~Communicator() = default;

  /// How what lies on devices goes from rank to rank, for people; empty where it does not.
  virtual std::string transport() const { return {}; }

  /// Whether what it does on streams can be recorded (core/repeated_work.hpp): the host has no part in it.
  virtual bool can_be_recorded() const { return false; }
  /// Those of this rank on streams so far, where somebody counts them.
  virtual Messages messages() const { return {}; }
  /// Has those counted as sent once more, where they were recorded, or taken back: −1 times.
  virtual void count(const Messages& messages, std::int64_t times) const;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  /// Whether exchange() and gather_bytes() without a stream take arrays of this process's devices as well.
  virtual bool takes_device_memory() const { return false; }

  /// x = Σ of the ranks' x, element by element.
  virtual void sum_ranks(Span<std::int64_t, Host> x) const = 0;
  virtual void sum_ranks(Span<std::int64_t, Cuda> x, CUstream_st* stream) const;

  /// result_j = the sum of partial[j · blocks + b] over the blocks of all ranks, exact and rounded once
  /// (core/global_sum.hpp), by a single kernel. Returns false, and does nothing, where the ranks have none.
  virtual bool sum_blocks(Span<const double, Cuda> partial, Span<double, Cuda> result, CUstream_st* stream) const;

  virtual std::int64_t max(std::int64_t local) const = 0;
  std::int64_t sum(std::int64_t local) const {
    sum_ranks({&local, 1});
    return local;
  }

  /// all = the ranks' bytes one after another, lengths[r] of them from rank r, of which lengths[rank()] are `own`.
  virtual void gather_bytes(std::span<const std::byte> own, std::span<const std::size_t> lengths,
                            std::span<std::byte> all) const = 0;
  virtual void gather_bytes(std::span<const std::byte> own, std::span<const std::size_t> lengths,
                            std::span<std::byte> all, CUstream_st* stream) const;

  /// from[r] = what rank r has in its to[rank()]: a number of every rank for every other one.
  virtual void all_to_all(std::span<const std::int64_t> to, std::span<std::int64_t> from) const = 0;

  /// Sends and receives messages; of the ranks that it names only. Those from one rank to another arrive in the order
  /// in which they are given. Returns when all are through. Lengths agree on both sides, and none is 0.
  virtual void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) const = 0;
  virtual void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives, CUstream_st* stream) const;

  /// Whether an exchange on a stream takes rows of an array for that rank as they lie, as the one message for it, where
  /// neither this nor what comes from there has more bytes. Else they have to be packed.
  virtual bool picks_rows(int rank, std::size_t bytes) const;

  /// What every rank says, by rank.
  template <class T>
  std::vector<T> all_gather(const T& own) const {
    std::vector<T> all(static_cast<std::size_t>(size()));
    const std::vector<std::size_t> lengths(all.size(), sizeof(T));
    gather_bytes(std::as_bytes(std::span(&own, 1)), lengths, std::as_writable_bytes(std::span(all)));
    return all;
  }

  /// The lists of all ranks, by rank. Collective twice: lengths, then values.
  template <class T>
  std::vector<T> all_gather_list(std::span<const T> own) const {
    std::vector<std::size_t> lengths = all_gather(own.size_bytes());
    std::size_t total = 0;
    for (const std::size_t length : lengths) {
      total += length;
    }
    std::vector<T> all(total / sizeof(T));
    gather_bytes(std::as_bytes(own), lengths, std::as_writable_bytes(std::span(all)));
    return all;
  }

  /// One rank with all rows. Of what takes a stream it has all but gather_bytes(), which throws DeviceError.
  static const Communicator& serial();
};

/// The largest or the smallest of what the ranks have, none of it negative. Collective.
double largest_of(const Communicator& communicator, double x);
double smallest_of(const Communicator& communicator, double x);

}  // namespace amgsolve
