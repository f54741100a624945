#include "problems/rows_file.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "core/buffer.hpp"
#include "core/collectively.hpp"
#include "core/output_file.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t buffer_bytes = std::size_t{1} << 20;

/// Rows of a section in pieces of some blocks for each thread. Between two pieces ranks hear of each other's failures,
/// and may be interrupted.
class Pieces {
 public:
  Pieces(Context<Host>& ctx, const RowsSection& section)
      : ctx_(ctx),
        section_(section),
        block_rows_(std::clamp(static_cast<std::int64_t>(buffer_bytes / section.row_bytes), std::int64_t{1},
                               std::max(section.rows, std::int64_t{1}))),
        blocks_((section.rows + block_rows_ - 1) / block_rows_),
        blocks_a_piece_(std::min(std::int64_t{4} * ctx.threads(), blocks_)) {}

  std::int64_t count() const { return blocks_ == 0 ? 0 : (blocks_ + blocks_a_piece_ - 1) / blocks_a_piece_; }

  std::size_t room() const { return static_cast<std::size_t>(blocks_a_piece_) * room_of_block(); }

  /// That piece, in the room or where it lies in memory; of none that is left nothing.
  std::string_view piece(std::int64_t number, Span<char, Host> room) const {
    const std::int64_t first = std::min(number * blocks_a_piece_, blocks_);
    std::vector<std::string_view> blocks(static_cast<std::size_t>(std::min(blocks_a_piece_, blocks_ - first)));
    parallel_blocks(ctx_, std::ssize(blocks), [&](std::int64_t b) {
      const std::int64_t begin = (first + b) * block_rows_;
      const auto block = static_cast<std::size_t>(b);
      blocks[block] =
          section_.bytes(begin, std::min(begin + block_rows_, section_.rows), room.data() + block * room_of_block());
    });
    std::string_view whole = blocks.empty() ? std::string_view() : blocks.front();
    for (const std::string_view block : std::span(blocks).subspan(std::min(blocks.size(), std::size_t{1}))) {
      if (block.data() != whole.data() + whole.size()) {  // behind shorter rows
        std::memmove(room.data() + whole.size(), block.data(), block.size());
      }
      whole = {whole.data(), whole.size() + block.size()};
    }
    return whole;
  }

 private:
  std::size_t room_of_block() const { return static_cast<std::size_t>(block_rows_) * section_.row_bytes; }

  Context<Host>& ctx_;
  const RowsSection& section_;
  std::int64_t block_rows_;
  std::int64_t blocks_;
  std::int64_t blocks_a_piece_;
};

class RowsWriter {
 public:
  RowsWriter(Context<Host>& ctx, const fs::path& path, std::span<const RowsSection> sections)
      : ctx_(ctx), ranks_(ctx.communicator()), is_first_(ranks_.rank() == 0), path_(path), sections_(sections) {}

  Writers write() {
    on_first([&] { file_.emplace(path_); });
    if (ranks_.size() > 1) {
      find_places();
    }
    const bool is_shared = ranks_.size() > 1 && (share(false) || share(true));
    for (std::size_t s = 0; s < sections_.size(); ++s) {
      if (is_shared) {
        write_own(sections_[s], places_[s]);
      } else {
        write_in_order(sections_[s]);
      }
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
  /// Where a section begins, and this rank's rows of it.
  struct Place {
    std::size_t section;
    std::size_t rows;
  };

  template <class Work>
  void on_first(const Work& work) const {
    collectively(ranks_, [&] {
      if (is_first_) {
        work();
      }
    });
  }

  std::size_t bytes_of_rows(const RowsSection& section) const {
    if (!section.is_text) {
      return static_cast<std::size_t>(section.rows) * section.row_bytes;
    }
    const Pieces pieces(ctx_, section);
    WorkspaceScope<Host> scope(ctx_.workspace());
    const Span<char, Host> room = scope.take<char>(pieces.room());
    std::size_t bytes = 0;
    for (std::int64_t i = 0; i < pieces.count(); ++i) {
      bytes += pieces.piece(i, room).size();
    }
    return bytes;
  }

  void find_places() {
    std::vector<std::size_t> own(sections_.size());
    collectively(ranks_, [&] {
      std::ranges::transform(sections_, own.begin(), [&](const RowsSection& s) { return bytes_of_rows(s); });
    });
    const std::vector<std::size_t> all = ranks_.all_gather_list(std::span<const std::size_t>(own));
    for (std::size_t s = 0; s < own.size(); ++s) {
      places_.push_back({.section = end_, .rows = 0});
      end_ += sections_[s].before.size();
      for (int rank = 0; rank < ranks_.size(); ++rank) {
        if (rank == ranks_.rank()) {
          places_.back().rows = end_;
        }
        end_ += all[static_cast<std::size_t>(rank) * own.size() + s];
      }
    }
  }

  /// Whether all ranks have opened the file, alike on all.
  bool share(bool by_name) {
    OutputFile::Place place;
    on_first([&] { place = file_->share(end_, by_name); });
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

  void write_own(const RowsSection& section, Place place) {
    on_first([&] { file_->write_at(place.section, section.before); });
    const Pieces pieces(ctx_, section);
    WorkspaceScope<Host> scope(ctx_.workspace());
    const Span<char, Host> room = room_for(pieces, scope);
    const std::int64_t count = ranks_.max(pieces.count());
    for (std::int64_t i = 0; i < count; ++i) {
      collectively(ranks_, [&] {
        const std::string_view piece = pieces.piece(i, room);
        file_->write_at(place.rows, piece);
        place.rows += piece.size();
      });
    }
  }

  /// By the first rank: its own rows, and those that the others send.
  void write_in_order(const RowsSection& section) {
    on_first([&] { file_->write(section.before); });
    const Pieces pieces(ctx_, section);
    WorkspaceScope<Host> scope(ctx_.workspace());
    const Span<char, Host> room = room_for(pieces, scope);
    const std::vector<std::int64_t> counts = ranks_.all_gather(pieces.count());
    for (int rank = 0; rank < ranks_.size(); ++rank) {
      for (std::int64_t i = 0; i < counts[static_cast<std::size_t>(rank)]; ++i) {
        std::string_view piece;
        collectively(ranks_, [&] { piece = rank == ranks_.rank() ? pieces.piece(i, room) : std::string_view(); });
        piece = rank == 0 ? piece : sent_to_the_first(rank, piece);
        collectively(ranks_, [&] {
          ctx_.poll();
          if (is_first_) {
            file_->write(piece);
          }
        });
      }
    }
  }

  Span<char, Host> room_for(const Pieces& pieces, WorkspaceScope<Host>& scope) const {
    Span<char, Host> room;
    collectively(ranks_, [&] { room = scope.take<char>(pieces.room()); });
    return room;
  }

  /// A piece of a rank, which goes to the first one; empty on the others.
  std::string_view sent_to_the_first(int rank, std::string_view piece) {
    const auto size = static_cast<std::size_t>(ranks_.max(std::ssize(piece)));
    on_first([&] {
      if (received_.size() < size) {
        received_ = Buffer<char, Host>(ctx_, size);
      }
    });
    if (ranks_.rank() == rank) {
      const Communicator::Outgoing message{0, std::as_bytes(std::span(piece))};
      ranks_.exchange({&message, 1}, {});
    }
    if (!is_first_) {
      return {};
    }
    const Communicator::Incoming message{rank, std::as_writable_bytes(std::span(received_.data(), size))};
    ranks_.exchange({}, {&message, 1});
    return {received_.data(), size};
  }

  Context<Host>& ctx_;
  const Communicator& ranks_;
  bool is_first_;
  const fs::path& path_;
  std::span<const RowsSection> sections_;
  std::vector<Place> places_;
  std::size_t end_ = 0;  ///< of the file
  std::optional<OutputFile> file_;
  Buffer<char, Host> received_;
};

}  // namespace

RowsSection rows_in_memory(std::string before, std::string_view bytes) {
  return {.before = std::move(before),
          .rows = std::ssize(bytes),
          .bytes = [bytes](std::int64_t begin, std::int64_t end, char*) {
            return bytes.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
          }};
}

RanksRows rows_of_ranks(const Communicator& ranks, std::int64_t own) {
  const std::vector<std::int64_t> all = ranks.all_gather(own);
  const std::int64_t first = std::accumulate(all.begin(), all.begin() + ranks.rank(), std::int64_t{0});
  return {{first, first + own}, std::accumulate(all.begin(), all.end(), std::int64_t{0})};
}

RowRange part_of(const Communicator& ranks, std::int64_t rows) {
  return {rows * ranks.rank() / ranks.size(), rows * (ranks.rank() + 1) / ranks.size()};
}

Writers write_rows_file(Context<Host>& ctx, const fs::path& path, std::span<const RowsSection> sections) {
  return RowsWriter(ctx, path, sections).write();
}

}  // namespace amgsolve
