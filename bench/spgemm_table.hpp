#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "spgemm/statistics.hpp"

/// How bench_spgemm shows and stores what it measures.
namespace amgsolve::bench {

/// A product, apart from how it is formed.
struct SpgemmCase {
  std::string matrix;
  std::string product;
  std::string value;  ///< "double" or "float"
  SpgemmStatistics statistics;
  std::size_t operand_bytes = 0;
  std::size_t result_bytes = 0;
  double copy_bandwidth = 0.0;  ///< bytes per second, of the same run
  double spmv_seconds = 0.0;    ///< of the matrix with a vector

  /// With each operand read and the result written once.
  double floor_seconds() const { return static_cast<double>(operand_bytes + result_bytes) / copy_bandwidth; }
};

/// The product by one algorithm.
struct SpgemmResult {
  std::string algorithm;
  Measurement measured;
  std::size_t extra_bytes = 0;  ///< peak of the memory beside the operands and the result; 0 where it is not known
};

/// The results of one product, printed as they come.
class SpgemmRows {
 public:
  static constexpr double no_peer = std::numeric_limits<double>::infinity();

  explicit SpgemmRows(const SpgemmCase& product);

  /// @param peer_seconds  of the best peer; no_peer where there is none, or this is a peer
  void add(const SpgemmResult& result, double peer_seconds);
  void add_failure(const std::string& algorithm, const std::string& reason);

  /// The product, its statistics and the results.
  const nlohmann::json& json() const { return json_; }

 private:
  SpgemmCase product_;
  nlohmann::json json_;
};

/// A table in the shape of those of Dalton, Olson and Bell (2015): for each product its size, expansion and contraction
/// of its rows (minimum, maximum, mean, standard deviation), the time of each phase, and the speedup over the best
/// peer.
class PaperTable {
 public:
  void add(const SpgemmCase& product, const SpgemmResult& result, double peer_seconds);
  /// Empty where nothing was added.
  std::string text() const;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::vector<std::pair<std::string, double>> phases;
    double seconds;
    double speedup;
  };
  std::vector<Row> rows_;
  std::vector<std::string> phases_;  ///< of any row, in the order in which they came
};

nlohmann::json to_json(const SpgemmStatistics& statistics);

}  // namespace amgsolve::bench
