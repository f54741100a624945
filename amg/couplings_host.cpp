#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

#include "amg/couplings_rows.hpp"
#include "core/parallel_host.hpp"

namespace amgsolve {
namespace {

/// Without a branch, into which compilers turn conditional expressions here.
template <class T>
T zero_if(bool condition, T value) {
  using Bits = std::conditional_t<sizeof(T) == sizeof(std::uint64_t), std::uint64_t, std::uint32_t>;
  return std::bit_cast<T>(std::bit_cast<Bits>(value) & (static_cast<Bits>(condition) - 1));
}

/// What is found of a row.
template <class T>
struct JudgedRow {
  std::uint64_t counts;  ///< of strong entries, and above them of those that are kept
  T dropped;             ///< sum
  T magnitude;           ///< of what is dropped, likewise

  Offset strong() const { return static_cast<std::uint32_t>(counts); }
  Offset kept() const { return static_cast<Offset>(counts >> 32); }
};

// Which entries are strong or dropped no processor foresees on coarse levels: none is branched on. A function of its
// own, so that it finds registers enough.
template <class T>
[[gnu::noinline]] JudgedRow<T> judge_row(const CouplingTest<T>& test, Index i, const Index* cols, const T* values,
                                         Offset entries, std::uint8_t* verdicts) {
  using Test = CouplingTest<T>;
  const RowScales<T>* const scales = test.scales;
  const auto row = test.row(i);
  JudgedRow<T> judged{};
  for (Offset k = 0; k < entries; ++k) {
    const RowScales<T>& other = scales[cols[k]];
    const std::uint64_t is_strong = Test::is_strong(row, other, values[k]);
    const std::uint64_t is_kept = is_strong | Test::is_large(row, other, values[k]) | (cols[k] == i);
    judged.counts += is_strong | is_kept << 32;
    verdicts[k] = static_cast<std::uint8_t>(is_strong * strong_coupling | is_kept * kept_coupling);
  }
  if (judged.kept() < entries) {
    for (Offset k = 0; k < entries; ++k) {
      const bool is_kept = (verdicts[k] & kept_coupling) != 0;
      const T pull = zero_if(is_kept, Test::pull(row, scales[cols[k]], values[k]));
      judged.dropped += pull;
      judged.magnitude += std::abs(pull);
    }
  }
  return judged;
}

}  // namespace

template <class T>
void measure_rows(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CouplingTest<T>& test) {
  const Offset* offsets = A.row_offsets.data();
  const Index* cols = A.col_indices.data();
  const T* values = A.values.data();
  parallel_for(ctx, A.rows, [=](std::int64_t i) {
    T most_scaled = 0;
    T largest = 0;
    const auto row = test.row(i);
    for (Offset k = offsets[i]; k < offsets[i + 1]; ++k) {
      const RowScales<T>& other = test.scales[cols[k]];
      const T a = cols[k] == i ? T{0} : values[k];
      most_scaled = std::max(most_scaled, test.scaled(row, other, a));
      largest = std::max(largest, -test.pull(row, other, a));
    }
    test.scales[i].root = std::sqrt(most_scaled);
    test.scales[i].largest = largest;
  });
}

template <class T>
void judge_couplings(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<const T, Host> diagonal, Index first,
                     const CouplingTest<T>& test, const CouplingVerdicts<T>& verdicts) {
  parallel_for(ctx, A.rows, [&](std::int64_t i) {
    const Offset begin = A.row_offsets.data()[i];
    const JudgedRow<T> judged =
        judge_row(test, static_cast<Index>(i), A.col_indices.data() + begin, A.values.data() + begin,
                  A.row_offsets.data()[i + 1] - begin, verdicts.entries + begin);
    verdicts.strong[i] = judged.strong();
    verdicts.kept[i] = judged.kept();
    verdicts.dropped[i] = judged.dropped;
    const auto own = static_cast<std::size_t>(i - first);  // of a row before the first one beyond all
    verdicts.weight[i] = test.weight(own < diagonal.size() ? diagonal[own] : T{0}, judged.magnitude);
  });
}

// Each entry is written where the next one belongs, until the row is full: only the place depends on what it is.
template <class T>
void fill_couplings(Context<Host>& ctx, const CsrMatrix<T, Host>& A, const CouplingVerdicts<T>& verdicts,
                    Couplings<T, Host>& result) {
  const Offset* offsets = A.row_offsets.data();
  const Index* cols = A.col_indices.data();
  const T* values = A.values.data();
  const std::uint8_t* verdict = verdicts.entries;
  const Offset* strong_offsets = result.strong.row_offsets.data();
  Index* neighbours = result.strong.col_indices.data();
  parallel_for(ctx, A.rows, [=](std::int64_t i) {
    const Offset end = strong_offsets[i + 1];
    Offset k = offsets[i];
    for (Offset next = strong_offsets[i]; next < end; ++k) {
      neighbours[next] = cols[k];
      next += verdict[k] & strong_coupling;
    }
  });
  if (!result.is_filtered()) {
    return;
  }
  const T* dropped = verdicts.dropped;
  const Offset* filtered_offsets = result.filtered.row_offsets.data();
  Index* kept_cols = result.filtered.col_indices.data();
  T* kept = result.filtered.values.data();
  parallel_for(ctx, A.rows, [=](std::int64_t i) {
    const Offset end = filtered_offsets[i + 1];
    Offset k = offsets[i];
    for (Offset next = filtered_offsets[i]; next < end; ++k) {
      kept_cols[next] = cols[k];
      kept[next] = cols[k] == i ? CouplingTest<T>::lumped(values[k], dropped[i]) : values[k];
      next += (verdict[k] & kept_coupling) != 0;
    }
  });
}

template <class T>
void fill_filtered(Context<Host>& ctx, const CsrMatrix<T, Host>& A, Span<const T, Host> candidate,
                   CsrMatrix<T, Host>& filtered) {
  const CsrMatrix<T, Host>& pattern = filtered;
  T* const kept = filtered.values.data();
  parallel_for(ctx, A.rows, [&](std::int64_t i) {
    const auto row = static_cast<std::size_t>(i);
    const T inverse = CouplingTest<T>::inverse(candidate[row]);
    auto next = static_cast<std::size_t>(pattern.row_offsets[row]);
    const auto filtered_end = static_cast<std::size_t>(pattern.row_offsets[row + 1]);
    auto diagonal = filtered_end;
    T dropped = 0;
    const auto end = static_cast<std::size_t>(A.row_offsets[row + 1]);
    for (auto k = static_cast<std::size_t>(A.row_offsets[row]); k < end; ++k) {
      const Index j = A.col_indices[k];
      if (next == filtered_end || pattern.col_indices[next] != j) {
        dropped += A.values[k] * (candidate[static_cast<std::size_t>(j)] * inverse);
        continue;
      }
      diagonal = j == i ? next : diagonal;
      kept[next++] = A.values[k];
    }
    if (diagonal < filtered_end) {
      kept[diagonal] = CouplingTest<T>::lumped(kept[diagonal], dropped);
    }
  });
}

AMGSOLVE_FOR_VALUES(AMGSOLVE_INSTANTIATE_COUPLING_STEPS, Host)

}  // namespace amgsolve
