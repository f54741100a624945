#pragma once

#include "core/host_device.hpp"
#include "spmv/csr_matrix.hpp"

/// What spgemm_statistics() is made of: sums over rows that host and device form in the same order.
namespace amgsolve::detail {

/// Products of a row have fewer bits than this; rows without products are a bin of their own.
inline constexpr int histogram_bins = 64;

struct ProductTally {
  Offset products;
  Offset most_products;  ///< of a row
  Offset histogram[histogram_bins];
};

/// Ratios of rows. They are summed less their `shift`: where all of them are near it, nothing cancels in the deviation.
struct RatioTally {
  Offset rows;
  double min;
  double max;
  double sum;
  double squares;
};

struct RatioTallies {
  RatioTally expansion;
  RatioTally contraction;
};

/// Tallies the products of rows.
struct TallyProducts {
  const Offset* products;  ///< of each row

  AMGSOLVE_HOST_DEVICE ProductTally operator()(std::int64_t begin, std::int64_t end) const {
    ProductTally tally{};
    for (std::int64_t row = begin; row < end; ++row) {
      const Offset n = products[row];
      tally.products += n;
      tally.most_products = n > tally.most_products ? n : tally.most_products;
      int bin = 0;
      for (Offset rest = n; rest > 0; rest >>= 1) {
        ++bin;
      }
      ++tally.histogram[bin];
    }
    return tally;
  }
};

/// Tallies products / entries of rows.
struct TallyRatios {
  const Offset* products;   ///< of each row
  const Offset* a_offsets;  ///< row offsets of A
  const Offset* c_offsets;
  double expansion_shift;
  double contraction_shift;

  AMGSOLVE_HOST_DEVICE RatioTallies operator()(std::int64_t begin, std::int64_t end) const {
    RatioTallies tallies{};
    for (std::int64_t row = begin; row < end; ++row) {
      add(tallies.expansion, products[row], a_offsets[row + 1] - a_offsets[row], expansion_shift);
      add(tallies.contraction, products[row], c_offsets[row + 1] - c_offsets[row], contraction_shift);
    }
    return tallies;
  }

 private:
  AMGSOLVE_HOST_DEVICE static void add(RatioTally& tally, Offset products, Offset entries, double shift) {
    if (entries == 0) {
      return;
    }
    const double ratio = static_cast<double>(products) / static_cast<double>(entries);
    tally.min = tally.rows == 0 || ratio < tally.min ? ratio : tally.min;
    tally.max = tally.rows == 0 || ratio > tally.max ? ratio : tally.max;
    tally.sum += ratio - shift;
    tally.squares += (ratio - shift) * (ratio - shift);
    ++tally.rows;
  }
};

/// The tallies of blocks of rows, joined from the first to the last. Synchronise.
ProductTally tally_rows(Context<Host>& ctx, Index rows, const TallyProducts& tally);
ProductTally tally_rows(Context<Cuda>& ctx, Index rows, const TallyProducts& tally);
RatioTallies tally_rows(Context<Host>& ctx, Index rows, const TallyRatios& tally);
RatioTallies tally_rows(Context<Cuda>& ctx, Index rows, const TallyRatios& tally);

/// The tally of the rows of two.
ProductTally join(const ProductTally& a, const ProductTally& b);
RatioTallies join(const RatioTallies& a, const RatioTallies& b);

}  // namespace amgsolve::detail
