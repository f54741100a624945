#include "problems/rows_file.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "core/buffer.hpp"
#include "core/collectively.hpp"
#include "core/output_file.hpp"

namespace amgsolve {
namespace {

namespace fs = std::filesystem;

/// Between two pieces ranks hear of each other's failures, and may be interrupted.
constexpr std::size_t piece_bytes = std::size_t{16} << 20;

class RowsWriter {
 public:
  RowsWriter(Context<Host>& ctx, const fs::path& path, const RowsFile& layout, std::string_view rows)
      : ctx_(ctx),
        ranks_(ctx.communicator()),
        is_first_(ranks_.rank() == 0),
        path_(path),
        layout_(layout),
        rows_(rows),
        sizes_(ranks_.all_gather(rows.size())) {}

  Writers write() {
    const std::size_t place = end_of_rows(ranks_.rank());
    on_first([&] { file_.emplace(path_); });
    const bool is_shared = ranks_.size() > 1 && (share(false) || share(true));
    std::uint64_t checksum = 0;
    collectively(ranks_, [&] { checksum = layout_.checksum(ctx_, place, rows_); });
    checksum = std::bit_cast<std::uint64_t>(ranks_.sum(std::bit_cast<std::int64_t>(checksum)));
    on_first([&] { file_->write(layout_.header(checksum)); });
    if (is_shared) {
      write_own(place);
    } else {
      write_in_order();
    }
    // A file system of other machines may tell of its errors as late as this.
    collectively(ranks_, [&] {
      if (!is_first_ && file_) {
        file_->commit();
      }
    });
    on_first([&] { file_->commit(); });
    return is_shared ? Writers::all : Writers::first;
  }

 private:
  template <class Work>
  void on_first(const Work& work) const {
    collectively(ranks_, [&] {
      if (is_first_) {
        work();
      }
    });
  }

  /// Of that many ranks.
  std::size_t end_of_rows(int ranks) const {
    return std::accumulate(sizes_.begin(), sizes_.begin() + ranks, layout_.begin);
  }

  /// Whether all ranks have opened the file, alike on all.
  bool share(bool by_name) {
    OutputFile::Place place;
    on_first([&] { place = file_->share(layout_.end, by_name); });
    const std::vector<char> path = ranks_.all_gather_list(std::span<const char>(place.path));
    place = {{path.begin(), path.end()}, ranks_.all_gather(place.mark).front()};
    if (!is_first_) {
      file_.emplace(path_, place);
    }
    if (ranks_.max(!path.empty() && file_->is_open() ? 0 : 1) == 0) {
      return true;
    }
    if (!is_first_) {
      file_.reset();
    }
    return false;
  }

  void write_own(std::size_t place) {
    const std::size_t longest = *std::ranges::max_element(sizes_);
    for (std::size_t at = 0; at < longest; at += piece_bytes) {
      collectively(ranks_, [&] {
        ctx_.poll();
        file_->write_at(place + at, rows_.substr(std::min(at, rows_.size()), piece_bytes));
      });
    }
  }

  /// By the first rank: its own rows, and those that the others send.
  void write_in_order() {
    Buffer<char, Host> room;
    if (ranks_.size() > 1) {
      on_first([&] { room = Buffer<char, Host>(ctx_, piece_bytes); });
    }
    for (int rank = 0; rank < ranks_.size(); ++rank) {
      const std::size_t size = sizes_[static_cast<std::size_t>(rank)];
      for (std::size_t at = 0; at < size; at += piece_bytes) {
        const std::string_view piece = on_the_first(rank, at, std::min(piece_bytes, size - at), room);
        collectively(ranks_, [&] {
          ctx_.poll();
          if (is_first_) {
            file_->write(piece);
          }
        });
      }
    }
    on_first([&] { file_->write(std::string(layout_.end - end_of_rows(ranks_.size()), '\0')); });
  }

  /// A piece of the rows of a rank, which goes to the first one; empty on the others.
  std::string_view on_the_first(int rank, std::size_t at, std::size_t size, Span<char, Host> room) const {
    if (rank == 0) {
      return is_first_ ? rows_.substr(at, size) : std::string_view();
    }
    if (is_first_) {
      const Communicator::Incoming message{rank, std::as_writable_bytes(std::span(room.data(), size))};
      ranks_.exchange({}, {&message, 1});
      return {room.data(), size};
    }
    if (ranks_.rank() == rank) {
      const Communicator::Outgoing message{0, std::as_bytes(std::span(rows_.substr(at, size)))};
      ranks_.exchange({&message, 1}, {});
    }
    return {};
  }

  Context<Host>& ctx_;
  const Communicator& ranks_;
  bool is_first_;
  const fs::path& path_;
  const RowsFile& layout_;
  std::string_view rows_;           ///< of this rank
  std::vector<std::size_t> sizes_;  ///< of all, in bytes
  std::optional<OutputFile> file_;
};

}  // namespace

Writers write_rows_file(Context<Host>& ctx, const fs::path& path, const RowsFile& layout, std::string_view rows) {
  return RowsWriter(ctx, path, layout, rows).write();
}

}  // namespace amgsolve
