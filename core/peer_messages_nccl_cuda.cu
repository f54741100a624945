#include "core/peer_messages_nccl.hpp"

#include "core/library_nccl.hpp"

#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 0)
#include <nccl_device.h>

#include <algorithm>
#include <exception>
#include <span>
#include <vector>

#include "core/check_cuda.hpp"
#include "core/collectively.hpp"
#include "core/communicator_nccl.hpp"
#include "core/launch_cuda.hpp"
#include "core/superaccumulator_cuda.cuh"

#ifndef NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER  // before 2.29
#define NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER \
  {}
#endif

namespace amgsolve {
namespace {

using detail::accumulate_by_block;
using detail::check_nccl;
using detail::nccl;
using detail::round_by_warp;
using detail::sum_threads;
using detail::WarpSums;

/// ⌈a / b⌉
template <class T>
constexpr T divide_up(T a, T b) {
  return (a + b - 1) / b;
}

std::size_t size_of(const Communicator::Outgoing& message) { return message.size(); }
std::size_t size_of(const Communicator::Incoming& message) { return message.bytes.size(); }

/// What a flag goes with.
using Packet = uint2;
constexpr int packet_bytes = sizeof(Packet);

constexpr int peer_threads = 512;
constexpr int most_thread_packets = 4;
constexpr int session_packets = peer_threads * most_thread_packets;  // 16 kB

/// A block waits for the peer's, so that those of a launch must all run at a time.
constexpr int all_blocks = 128;
static_assert(longest_between_kernels == all_blocks * session_packets * packet_bytes);
constexpr int most_peers = most_ranks_with_kernels - 1;
constexpr int all_sessions = 256;  // n ranks need n ⌊128 / (n − 1)⌋
constexpr int most_messages = 4;
constexpr int most_summed = 1024;
constexpr int most_columns = 8;  // of blocks' sums, with a session each

/// A message as a part of what goes from one rank to another, beginning with that packet.
struct Piece {
  std::byte* data;
  std::uint32_t bytes;
  std::uint32_t first_packet;
};

/// All that goes from one rank to another.
struct Way {
  Piece pieces[most_messages];
  int count = 0;
  int packets = 0;

  /// Of a message that goes out nothing is written to.
  void add(const std::byte* message, std::size_t bytes, int its_packets) {
    pieces[count++] = {const_cast<std::byte*>(message), static_cast<std::uint32_t>(bytes),
                       static_cast<std::uint32_t>(packets)};
    packets += its_packets;
  }
  __device__ const Piece& piece_of(int packet) const {
    int piece = 0;
    while (piece + 1 < count && packet >= static_cast<int>(pieces[piece + 1].first_packet)) {
      ++piece;
    }
    return pieces[piece];
  }
};

/// Rows that go out one after another, wherever they lie: their numbers, and of how many units each is.
struct PickedRows {
  const Index* rows;  ///< null: what goes out goes as it lies
  std::uint32_t units;
  std::uint32_t unit_bytes;  ///< 8, 4 or 1
};

/// Its blocks, and the packets that each of their threads passes, are as many on both ranks.
struct PairMessages {
  int peer;           ///< the other rank's number among the peers
  int first_session;  ///< of those of this pair, the same on both ranks
  int first_block;    ///< of those that pass what this pair has for each other
  int thread_packets;
  Way out;
  Way in;
  PickedRows picked;

  int packets() const { return std::max(out.packets, in.packets); }
};

struct PeerExchange {
  PairMessages pairs[most_peers];
  int count;
};
static_assert(sizeof(ncclDevComm) + sizeof(ncclLLA2AHandle) + sizeof(PeerExchange) < 4096);  // bytes of arguments

/// Copies up to a packet.
template <class To, class From>
__device__ void copy_packet(To* to, const From* from, int bytes) {
  const auto places = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  if (bytes == packet_bytes && places % packet_bytes == 0) {
    *reinterpret_cast<Packet*>(to) = *reinterpret_cast<const Packet*>(from);
  } else if (bytes % 4 == 0 && places % 4 == 0) {
    for (int i = 0; i < bytes / 4; ++i) {
      reinterpret_cast<std::uint32_t*>(to)[i] = reinterpret_cast<const std::uint32_t*>(from)[i];
    }
  } else {
    for (int i = 0; i < bytes; ++i) {
      reinterpret_cast<std::byte*>(to)[i] = reinterpret_cast<const std::byte*>(from)[i];
    }
  }
}

/// Calls body(bytes of the message there, how many) for a packet of a way; with none behind its end.
template <class Body>
__device__ void at_packet(const Way& way, int packet, const Body& body) {
  if (packet < way.packets) {
    const Piece& piece = way.piece_of(packet);
    const std::uint32_t begin = (static_cast<std::uint32_t>(packet) - piece.first_packet) * packet_bytes;
    body(piece.data + begin, static_cast<int>(min(piece.bytes - begin, std::uint32_t{packet_bytes})));
  }
}

/// Puts what a message of rows has there into a packet: all numbers of rows are loaded before what they name.
template <class Unit>
__device__ void pick_rows(const Piece& message, const PickedRows& picked, int packet, Packet& to) {
  constexpr int units = packet_bytes / sizeof(Unit);
  const auto first = static_cast<std::uint32_t>(packet * units);
  const auto count = min(message.bytes / static_cast<std::uint32_t>(sizeof(Unit)) - first, std::uint32_t{units});
  Index rows[units];
  Unit values[units] = {};
#pragma unroll
  for (std::uint32_t i = 0; i < units; ++i) {
    if (i < count) {
      rows[i] = picked.rows[(first + i) / picked.units];
    }
  }
#pragma unroll
  for (std::uint32_t i = 0; i < units; ++i) {
    if (i < count) {
      const std::int64_t unit = std::int64_t{rows[i]} * picked.units + (first + i) % picked.units;
      values[i] = reinterpret_cast<const Unit*>(message.data)[unit];
    }
  }
  memcpy(&to, values, packet_bytes);
}

/// What goes out in that packet of a pair.
__device__ Packet outgoing_packet(const PairMessages& pair, int packet) {
  Packet result{};
  if (pair.picked.rows == nullptr) {
    at_packet(pair.out, packet, [&](const std::byte* from, int bytes) { copy_packet(&result, from, bytes); });
  } else if (packet < pair.out.packets) {
    const auto pick = [&]<class Unit>(Unit) { pick_rows<Unit>(pair.out.pieces[0], pair.picked, packet, result); };
    pair.picked.unit_bytes == 8   ? pick(std::uint64_t{})
    : pair.picked.unit_bytes == 4 ? pick(std::uint32_t{})
                                  : pick(std::uint8_t{});
  }
  return result;
}

/// Blocks of threads share the packets of a pair's longer way, one to four a thread. Sessions take turns at two places
/// of memory, and one that has something of this turn has done with those of the turn before the last: so the first
/// packet of a block always goes both ways.
__global__ void __launch_bounds__(peer_threads) peer_exchange_kernel(ncclDevComm communicator, ncclLLA2AHandle handle,
                                                                     const __grid_constant__ PeerExchange exchange) {
  const int block = static_cast<int>(blockIdx.x);
  int index = 0;
  while (index + 1 < exchange.count && block >= exchange.pairs[index + 1].first_block) {
    ++index;
  }
  const PairMessages& pair = exchange.pairs[index];
  const int part = block - pair.first_block;
  const int thread = static_cast<int>(threadIdx.x);
  const int block_packets = pair.thread_packets * peer_threads;
  const int begin = part * block_packets;
  ncclLLA2ASession<ncclCoopCta> session(ncclCoopCta(), communicator, ncclTeamLsa(communicator), handle,
                                        static_cast<std::uint32_t>(pair.first_session + part), session_packets);
  Packet packets[most_thread_packets];
#pragma unroll
  for (int i = 0; i < most_thread_packets; ++i) {
    if (i < pair.thread_packets) {
      packets[i] = outgoing_packet(pair, begin + thread + i * peer_threads);
    }
  }
  const auto count = [&](const Way& way) { return max(1, min(way.packets - begin, block_packets)); };
#pragma unroll
  for (int i = 0; i < most_thread_packets; ++i) {
    if (thread + i * peer_threads < count(pair.out)) {
      session.send(pair.peer, thread + i * peer_threads, packets[i]);
    }
  }
  const int expected = count(pair.in) - thread;
  if (expected > 0) {
    const int received = (expected + peer_threads - 1) / peer_threads;
    session.recvUnrolled<1>(thread, received, peer_threads, packets);
#pragma unroll
    for (int i = 0; i < most_thread_packets; ++i) {
      if (i < received) {
        at_packet(pair.in, begin + thread + i * peer_threads,
                  [&](std::byte* to, int bytes) { copy_packet(to, &packets[i], bytes); });
      }
    }
  }
  session.endEpoch(ncclCoopCta());
}

/// x = Σ of the ranks' x, by a block with that session.
__device__ void sum_of_peers(const ncclDevComm& communicator, ncclLLA2AHandle handle, int session_number,
                             std::int64_t* x, int count) {
  const ncclTeam team = ncclTeamLsa(communicator);
  ncclLLA2ASession<ncclCoopCta> session(ncclCoopCta(), communicator, team, handle,
                                        static_cast<std::uint32_t>(session_number), count);
  const int threads = static_cast<int>(blockDim.x);
  for (int i = static_cast<int>(threadIdx.x); i < count; i += threads) {
    for (int peer = 0; peer < team.nRanks; ++peer) {
      session.send(peer, team.rank * count + i, x[i]);
    }
  }
  for (int i = static_cast<int>(threadIdx.x); i < count; i += threads) {
    x[i] = session.recvReduce<4, std::int64_t>(
        i, team.nRanks, count, [](std::int64_t value) { return value; },
        [](std::int64_t a, std::int64_t b) { return a + b; });
  }
  session.endEpoch(ncclCoopCta());
}

/// By one block.
__global__ void __launch_bounds__(peer_threads)
    peer_sum_kernel(ncclDevComm communicator, ncclLLA2AHandle handle, std::int64_t* x, int count) {
  sum_of_peers(communicator, handle, 0, x, count);
}

/// A block for each column.
__global__ void __launch_bounds__(sum_threads)
    peer_sum_blocks_kernel(ncclDevComm communicator, ncclLLA2AHandle handle, std::int64_t blocks, const double* partial,
                           double* result) {
  __shared__ WarpSums sums;
  const int column = static_cast<int>(blockIdx.x);
  accumulate_by_block(partial + column * blocks, blocks, sums);
  sum_of_peers(communicator, handle, column, sums[0], superaccumulator_words);
  __syncthreads();
  if (threadIdx.x < warp_size) {
    const double sum = round_by_warp(sums[0]);
    if (threadIdx.x == 0) {
      result[column] = sum;
    }
  }
}

/// NCCL's functions for communicators that kernels use, by their names; null where it is older than 2.28.
struct NcclOfKernels {
  decltype(::ncclDevCommCreate)* create = AMGSOLVE_NCCL(ncclDevCommCreate);
  decltype(::ncclDevCommDestroy)* destroy = AMGSOLVE_NCCL(ncclDevCommDestroy);
  decltype(::ncclLLA2ACreateRequirement)* require_sessions = AMGSOLVE_NCCL(ncclLLA2ACreateRequirement);

  /// Kernels know what their communicators look like.
  static bool is_ours() {
    int version = 0;
    return nccl().get_version(&version) == ncclSuccess && version == NCCL_VERSION_CODE;
  }
};

const NcclOfKernels& nccl_of_kernels() {
  static const NcclOfKernels functions;
  return functions;
}

class NcclPeerMessages final : public PeerMessages {
 public:
  NcclPeerMessages(ncclComm* communicator, const Communicator& ranks) : communicator_(communicator) {
    ncclDevResourceRequirements of_pairs{};
    ncclDevResourceRequirements of_sums{};
    ncclDevResourceRequirements of_columns{};
    check_nccl(nccl_of_kernels().require_sessions(all_sessions, session_packets, &pair_sessions_, &of_pairs),
               "sessions");
    check_nccl(nccl_of_kernels().require_sessions(1, std::min(ranks.size(), most_ranks_with_kernels) * most_summed,
                                                  &sum_session_, &of_sums),
               "a session");
    check_nccl(nccl_of_kernels().require_sessions(
                   most_columns, std::min(ranks.size(), most_ranks_with_kernels) * superaccumulator_words,
                   &column_sessions_, &of_columns),
               "sessions");
    of_pairs.next = &of_sums;
    of_sums.next = &of_columns;
    ncclDevCommRequirements requirements = NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER;
    requirements.resourceRequirementsList = &of_pairs;
    check_nccl(nccl_of_kernels().create(communicator, &requirements, &of_kernels_), "a communicator of kernels");
    const ncclTeam team = ncclTeamLsa(of_kernels_);
    if (team.nRanks > 1 && team.nRanks <= most_ranks_with_kernels) {
      peers_ = team.nRanks;
      own_ = team.rank;
      first_rank_ = ranks.rank() - own_;
      blocks_of_pair_ = all_blocks / (peers_ - 1);
      are_all_ = peers_ == ranks.size();
    }
  }
  ~NcclPeerMessages() override {
    if (std::uncaught_exceptions() == 0) {
      nccl_of_kernels().destroy(communicator_, &of_kernels_);
    }
  }

  bool has_any() const { return peers_ > 1; }

  void exchange(std::vector<Communicator::Outgoing>& sends, std::vector<Communicator::Incoming>& receives,
                CUstream_st* stream) const override {
    PeerExchange exchange;
    exchange.count = 0;
    int blocks = 0;
    for (int peer = 0; peer < peers_; ++peer) {
      if (peer == own_) {  // for which there is no room
        continue;
      }
      PairMessages& pair = exchange.pairs[exchange.count];
      pair = {peer, (own_ + peer) % peers_ * blocks_of_pair_, blocks, 0, {}, {}, {}};
      const int rank = first_rank_ + peer;
      if (add_all(pair.out, sends, rank) && add_all(pair.in, receives, rank) && pair.packets() > 0) {
        pair.picked = picked_of(sends, rank);
        pair.thread_packets = divide_up(pair.packets(), blocks_of_pair_ * peer_threads);
        blocks += divide_up(pair.packets(), pair.thread_packets * peer_threads);
        ++exchange.count;
        const auto is_passed = [&](const auto& message) { return message.rank == rank; };
        std::erase_if(sends, is_passed);
        std::erase_if(receives, is_passed);
      }
    }
    launch(stream, peer_exchange_kernel, {.blocks = blocks, .threads = peer_threads}, of_kernels_, pair_sessions_,
           exchange);
  }

  bool picks_rows(int rank, std::size_t bytes) const override {
    return rank >= first_rank_ && rank < first_rank_ + peers_ &&
           bytes <= static_cast<std::size_t>(most_packets()) * packet_bytes;
  }

  bool sum(Span<std::int64_t, Cuda> x, CUstream_st* stream) const override {
    if (!are_all_ || x.size() > most_summed) {
      return false;
    }
    if (x.size() == 0) {  // ranks that wait for nothing of each other would not keep the sessions' turns
      return true;
    }
    launch(stream, peer_sum_kernel, {.blocks = 1, .threads = peer_threads}, of_kernels_, sum_session_, x.data(),
           static_cast<int>(x.size()));
    return true;
  }

  bool sum_blocks(Span<const double, Cuda> partial, Span<double, Cuda> result, CUstream_st* stream) const override {
    const auto columns = static_cast<std::int64_t>(result.size());
    if (!are_all_ || columns == 0 || columns > most_columns) {
      return false;
    }
    launch(stream, peer_sum_blocks_kernel, {.blocks = columns, .threads = sum_threads}, of_kernels_, column_sessions_,
           static_cast<std::int64_t>(partial.size()) / columns, partial.data(), result.data());
    return true;
  }

 private:
  /// Of a pair, each way.
  int most_packets() const { return blocks_of_pair_ * session_packets; }

  static PickedRows picked_of(const std::vector<Communicator::Outgoing>& sends, int rank) {
    for (const Communicator::Outgoing& message : sends) {
      if (message.rank == rank && !message.rows.empty()) {
        const auto places = reinterpret_cast<std::uintptr_t>(message.bytes.data()) | message.row_bytes;
        const std::uint32_t unit = places % 8 == 0 ? 8 : places % 4 == 0 ? 4 : 1;
        return {message.rows.data(), static_cast<std::uint32_t>(message.row_bytes) / unit, unit};
      }
    }
    return {};
  }

  /// Returns false where they are too many or too long.
  template <class Message>
  bool add_all(Way& way, const std::vector<Message>& messages, int rank) const {
    for (const Message& message : messages) {
      if (message.rank == rank) {
        const std::size_t bytes = size_of(message);
        const std::size_t packets = divide_up(bytes, std::size_t{packet_bytes});
        if (way.count == most_messages || packets > static_cast<std::size_t>(most_packets() - way.packets)) {
          return false;
        }
        way.add(message.bytes.data(), bytes, static_cast<int>(packets));
      }
    }
    return true;
  }

  ncclComm* communicator_;
  ncclDevComm of_kernels_{};
  ncclLLA2AHandle pair_sessions_{};
  ncclLLA2AHandle sum_session_{};
  ncclLLA2AHandle column_sessions_{};
  int peers_ = 0;       ///< with this rank; 0: too few or too many
  int own_ = 0;         ///< the number of this one
  int first_rank_ = 0;  ///< of the peers, which follow one another
  int blocks_of_pair_ = 0;
  bool are_all_ = false;  ///< all ranks are peers
};

}  // namespace

std::unique_ptr<PeerMessages> peer_messages(ncclComm* communicator, const Communicator& ranks) {
  if (ranks.max(NcclOfKernels::is_ours() ? 0 : 1) > 0) {
    return nullptr;
  }
  std::unique_ptr<NcclPeerMessages> messages;
  const bool failed =
      failure_of([&] { messages = std::make_unique<NcclPeerMessages>(communicator, ranks); }) != nullptr;
  if (ranks.max(failed ? 1 : 0) > 0 || !messages->has_any()) {
    return nullptr;
  }
  return messages;
}

}  // namespace amgsolve
#else
namespace amgsolve {

std::unique_ptr<PeerMessages> peer_messages(ncclComm*, const Communicator&) { return nullptr; }

}  // namespace amgsolve
#endif
