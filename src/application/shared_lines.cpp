#include "src/application/shared_lines.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/collectively.hpp"
#include "core/errors.hpp"
#include "core/format.hpp"
#include "core/timer.hpp"
#include "problems/rows_file.hpp"

namespace amgsolve {
namespace {

/// Those of all ranks, in the order of the file.
WrongRecords all_wrong(const Communicator& ranks, const WrongRecords& own) {
  WrongRecords wrong{.count = ranks.sum(own.count)};
  if (wrong.count == 0) {
    return wrong;
  }
  const std::string text = format_text("{}{}", fmt::join(own.first, "\n"), own.first.empty() ? "" : "\n");
  const std::vector<char> all = ranks.all_gather_list(std::span<const char>(text));
  for (std::string_view rest(all.data(), all.size()); !rest.empty() && wrong.first.size() < WrongRecords::most_told;) {
    wrong.first.emplace_back(take_line(rest));
  }
  return wrong;
}

}  // namespace

void require_file_for_ranks(const Communicator& ranks, const std::filesystem::path& path) {
  std::error_code unknown;
  if (ranks.size() > 1 && std::filesystem::is_fifo(path, unknown)) {
    throw InputError(format_text("{}: cannot read: it is a pipe; several ranks need a file", path.string()));
  }
}

bool SharedLines::begin(const std::function<bool(const MatrixMarketHeader&)>& takes) {
  const Communicator& ranks = ctx_.communicator();
  bool is_taken = false;
  all_alike(ranks, [&] {
    require_file_for_ranks(ranks, path_);
    file_.emplace(path_);
    const GrowingText head = read_header(ctx_, *file_);
    const std::string_view text = head.text();
    if (is_matrix_market(text)) {
      header_ = parse_matrix_market_header(text, path_, most_shared_rows);
      body_ = text.size() - std::exchange(header_.body, {}).size();
      is_taken = takes(header_);
    }
  });
  return ranks.max(is_taken ? 0 : 1) == 0;
}

void SharedLines::load() {
  const Communicator& ranks = ctx_.communicator();
  const auto end = static_cast<std::size_t>(ranks.max(static_cast<std::int64_t>(file_->expected_size())));
  {
    const ScopedTimer timer(ctx_, "load");
    collectively(ranks, [&] { text_.emplace(ctx_, *file_, part(end, ranks.rank()), part(end, ranks.rank() + 1)); });
  }
  const ScopedTimer timer(ctx_, "parse");
  collectively(ranks, [&] { lines_ = split_lines(ctx_, text_->text(), header_.lines + 1); });
  const RanksRows line = rows_of_ranks(ranks, lines_.last_line - header_.lines);
  const RanksRows record = rows_of_ranks(ranks, lines_.records);
  move_behind(lines_, line.own.first, record.own.first);
  all_lines_ = line.all;
  all_records_ = record.all;
}

void SharedLines::check(const WrongRecords& own) const {
  const Communicator& ranks = ctx_.communicator();
  refuse(all_wrong(ranks, own), path_);
  const Offset one_too_many = ranks.max(line_of_record(lines_, header_.entries));
  check_count(all_records_, header_.entries, one_too_many > 0 ? one_too_many : header_.lines + all_lines_, path_);
}

Offset SharedLines::wanted() const {
  return std::clamp(header_.entries - lines_.first_record, Offset{0}, lines_.records);
}

std::size_t SharedLines::part(std::size_t end, int rank) const {
  const std::size_t bytes = std::max(end, body_) - body_;
  const auto ranks = static_cast<std::size_t>(ctx_.communicator().size());
  const auto r = static_cast<std::size_t>(rank);
  return body_ + bytes / ranks * r + std::min(bytes % ranks, r);
}

}  // namespace amgsolve
