#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "core/errors.hpp"
#include "core/hash.hpp"
#include "dist/distribute_entries.hpp"
#include "problems/amg_file.hpp"
#include "problems/line_blocks.hpp"
#include "problems/matrix_formats.hpp"
#include "problems/matrix_market.hpp"
#include "problems/matrix_market_entries.hpp"
#include "problems/matrix_market_header.hpp"
#include "problems/zip_archive.hpp"
#include "spmv/conversions.hpp"
#include "src/application/shared_matrix.hpp"
#include "tests/dist/ranks.hpp"
#include "tests/dist/shared_files.hpp"
#include "tests/reference/matrices.hpp"
#include "tests/reference/petsc_file.hpp"

namespace amgsolve {
namespace {

using ranks::SharedFiles;
using ranks::world;

template <class M>
struct Outcome {
  M A;
  std::vector<std::string> warnings;
  std::string error;
};

template <class M>
Outcome<M> outcome_of(const std::function<M(std::vector<std::string>&)>& read) {
  Outcome<M> outcome;
  try {
    outcome.A = read(outcome.warnings);
  } catch (const InputError& error) {
    outcome.error = error.what();
  }
  return outcome;
}

/// What several ranks read, and what one reads alone.
struct Outcomes {
  Context<Host> ranks_ctx{1, world()};
  Context<Host> ctx{1};
  double bytes_expected = 0.0;
  Outcome<GlobalRows<double, Host>> shared;
  Outcome<CsrMatrix<double, Host>> alone;

  explicit Outcomes(const std::filesystem::path& path)
      : shared(outcome_of<GlobalRows<double, Host>>(
            [&](auto& warnings) { return read_shared_matrix(ranks_ctx, path, warnings, bytes_expected); })),
        alone(outcome_of<CsrMatrix<double, Host>>([&](auto& warnings) { return read_matrix(ctx, path, warnings); })) {}
};

/// And that each rank has read its part alone, or, where that is meant, the whole file.
void expect_the_rows_of_one_rank(const std::filesystem::path& path, const std::string& part = "its part") {
  const Outcomes read(path);
  std::vector<std::string> notes;
  for (const Profile::Node& phase : read.ranks_ctx.profile().nodes()) {
    notes.insert(notes.end(), phase.notes.begin(), phase.notes.end());
  }
  EXPECT_EQ(notes, std::vector{path.string() + ": every rank has read " + part});
  ASSERT_EQ(read.alone.error, "");
  ASSERT_EQ(read.shared.error, "");
  EXPECT_EQ(read.shared.warnings, read.alone.warnings);
  const CsrMatrix<double, Host>& A = read.alone.A;
  const GlobalRows<double, Host>& own = read.shared.A;
  const RowRange rows = shared_rows(world(), A.rows);
  ASSERT_EQ(own.rows(), rows.count());
  const Offset begin = A.row_offsets[static_cast<std::size_t>(rows.first)];
  for (std::int64_t i = 0; i <= rows.count(); ++i) {
    ASSERT_EQ(own.row_offsets.data()[i], A.row_offsets.data()[rows.first + i] - begin);
  }
  const auto entries = static_cast<std::size_t>(own.nnz());
  EXPECT_TRUE(std::equal(own.col_indices.data(), own.col_indices.data() + entries, A.col_indices.data() + begin));
  EXPECT_TRUE(ranks::same_bits<double>({own.values.data(), entries}, {A.values.data() + begin, entries}));
}

void expect_the_same_error(const std::filesystem::path& path, const std::string& part) {
  const Outcomes read(path);
  EXPECT_EQ(read.shared.error, part.empty() ? read.alone.error : path.string() + ": " + part);
  EXPECT_NE(read.shared.error, "");
}

/// Entries of an n × n matrix in an order made by chance: n on the diagonal, others anywhere, some more than once.
std::string text_of(const std::string& banner, Index n, Index others, bool lower, bool has_values,
                    const std::string& line_end = "\n") {
  std::vector<std::string> lines;
  const auto add = [&](Index row, Index column, std::uint64_t seed) {
    lines.push_back(std::to_string(row + 1) + " " + std::to_string(column + 1) +
                    (has_values ? " " + std::to_string(static_cast<double>(hash64(seed) % 2000001) / 7.0 - 1e5) : ""));
  };
  for (Index i = 0; i < n; ++i) {
    add(i, i, static_cast<std::uint64_t>(i));
  }
  for (Index e = 0; e < others; ++e) {
    const auto seed = static_cast<std::uint64_t>(n + e);
    const auto row = static_cast<Index>(hash64(3 * seed) % static_cast<std::uint64_t>(n));
    const auto column = static_cast<Index>(hash64(5 * seed) % static_cast<std::uint64_t>(n));
    add(lower ? std::max(row, column) : row, lower ? std::min(row, column) : column, seed);
  }
  std::ranges::sort(lines, {}, [](const std::string& line) { return std::hash<std::string>()(line); });
  std::string text = "%%MatrixMarket matrix coordinate " + banner + line_end + "% a comment" + line_end + line_end +
                     std::to_string(n) + " " + std::to_string(n) + " " + std::to_string(lines.size()) + line_end;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += lines[i] + (i % 97 == 5 ? line_end + "% between them" + line_end : line_end);
  }
  return text;
}

TEST_F(SharedFiles, GiveEveryRankItsRowsOfGeneralMatrices) {
  expect_the_rows_of_one_rank(write("general.mtx", text_of("real general", 503, 4000, false, true)));
  expect_the_rows_of_one_rank(write("crlf.mtx", text_of("real general", 97, 300, false, true, "\r\n")));
  expect_the_rows_of_one_rank(
      write("integer.mtx", "%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 4\n2 2 5"));
  expect_the_rows_of_one_rank(write("one.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 4\n"));
}

TEST_F(SharedFiles, GiveEveryRankItsRowsOfSymmetricAndPatternMatrices) {
  expect_the_rows_of_one_rank(write("symmetric.mtx", text_of("real symmetric", 503, 4000, true, true)));
  expect_the_rows_of_one_rank(write("both.mtx", text_of("real symmetric", 211, 1500, false, true)));
  expect_the_rows_of_one_rank(write("pattern.mtx", text_of("pattern symmetric", 211, 1500, true, false)));
  expect_the_rows_of_one_rank(
      write("skew.mtx", "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 3\n2 1 4\n1 3 5\n3 2 .1\n"));
}

TEST_F(SharedFiles, OfOurOwnGiveEveryRankItsRows) {
  Context<Host> ctx(1);
  const auto written = [&](const std::string& name, const CsrMatrix<double, Host>& A) {
    if (world().rank() == 0) {
      write_amg_file<double>(ctx, path_ / name, A);
    }
    world().max(0);
    return path_ / name;
  };
  const CsrMatrix<double, Host> A = reference::random_matrix<double>(ctx, 503, 503, 20, 1);
  const std::filesystem::path path = written("random.amg", A);
  expect_the_rows_of_one_rank(path);
  expect_the_rows_of_one_rank(written("one.amg", reference::random_matrix<double>(ctx, 1, 1, 1, 2)));
  expect_the_same_error(written("rectangle.amg", reference::random_matrix<double>(ctx, 30, 20, 5, 3)),
                        "the matrix is not square: 30 x 20");
  CsrMatrix<double, Host> disordered = reference::random_matrix<double>(ctx, 50, 50, 20, 4);
  std::swap(disordered.col_indices[3], disordered.col_indices[4]);
  expect_the_rows_of_one_rank(written("disordered.amg", disordered), "the whole of it");

  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  for (const std::size_t place : {std::size_t{40}, std::size_t{64}, bytes.size() / 2, bytes.size() - 1}) {
    SCOPED_TRACE(place);
    std::string damaged = bytes;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    expect_the_same_error(write("damaged" + std::to_string(place) + ".amg", damaged), "");
  }
}

TEST_F(SharedFiles, OfSciPysGiveEveryRankItsRows) {
  if (ZipArchive::is_available()) {
    const std::string corpus = AMGSOLVE_SOURCE_DIR "/tests/fuzz/corpus/binary_files/";
    expect_the_rows_of_one_rank(corpus + "npz_grid.npz");
    expect_the_same_error(corpus + "npz_wrong_crc.npz", "");
    expect_the_same_error(corpus + "npz_csr.npz", "the matrix is not square: 2 x 3");
  }
}

TEST_F(SharedFiles, OfPetscGiveEveryRankItsRows) {
  Context<Host> ctx;
  CsrMatrix<double, Host> A = reference::random_matrix<double>(ctx, 503, 503, 20, 1);
  const auto written = [&](const char* name) {
    return write(name, reference::PetscFile<std::int32_t>().vector().matrix(A).bytes());
  };
  expect_the_rows_of_one_rank(written("A.petsc"));
  std::swap(A.col_indices[3], A.col_indices[4]);
  expect_the_rows_of_one_rank(written("disordered.petsc"), "the whole of it");
  A.col_indices[3] = 503;
  expect_the_same_error(written("outside.petsc"), "");
}

TEST_F(SharedFiles, AreRefusedInTheWordsOfOneRank) {
  const std::string general = "%%MatrixMarket matrix coordinate real general\n";
  std::string many_wrong = general + "40 40 80\n";
  std::string late = general + "% one\n40 40 80\n";
  std::string long_comment = general + "40 40 80\n%" + std::string(5000, 'c') + "\n";
  for (int i = 0; i < 80; ++i) {
    const std::string indices = std::to_string(i % 40 + 1) + " " + std::to_string(i % 40 + 1);
    many_wrong += indices + (i % 5 == 3 ? " x\n" : " 1\n");
    late += indices + (i == 71 ? " nan\n" : " 1\n");
    long_comment += i == 3 ? "41 1 1\n" : indices + " 1\n";
  }
  const std::vector<std::string> texts = {
      "",
      "nothing of the kind\n",
      general,
      general + "3 3\n",
      general + "3 3 x\n",
      general + "3 3 4\n1 1 1\n2 2 1\n3 3 1\n",              // one is missing
      general + "3 3 3\n1 1 1\n2 2 1\n3 3 1\n1 2 3\n1 3 3",  // two too many
      general + "2000000 2000000 1\n1 1 1\n",                // empty rows
      general + "2 2 2\n1 1 1 1\n2 2 1\n",
      "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n",
      many_wrong,
      late,
      long_comment,
  };
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Outcomes read(write("wrong" + std::to_string(i) + ".mtx", texts[i]));
    EXPECT_NE(read.alone.error, "") << texts[i].substr(0, 200);
    EXPECT_EQ(read.shared.error, read.alone.error) << texts[i].substr(0, 200);
  }
  const Outcomes absent(path_ / "absent.mtx");
  EXPECT_EQ(absent.shared.error, absent.alone.error);
  EXPECT_NE(absent.shared.error, "");
}

TEST_F(SharedFiles, AreRefusedWhereTheyAreNotSquare) {
  const auto path = write("wide.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 1 1\n2 3 1\n");
  EXPECT_EQ(Outcomes(path).shared.error, path.string() + ": the matrix is not square: 2 x 3");
}

TEST(DistributedEntries, ComeInTheOrderOfTheRanks) {
  constexpr Index n = 1201;
  Context<Host> ctx(1, world());
  const auto rank = static_cast<Index>(world().rank());
  // Every rank has entries in every third row, the same ones as others, whose values tell where they are from.
  GlobalEntries<double, Host> A(ctx, n, n, 2 * (n / 3));
  for (Index e = 0; e < static_cast<Index>(A.nnz()); ++e) {
    const auto i = static_cast<std::size_t>(e);
    A.row_indices[i] = 3 * (e * 7 % (n / 3));
    A.col_indices[i] = e % 5;
    A.values[i] = 10000.0 * rank + e;
  }
  for (const ranks::Cut cut : ranks::all_cuts()) {
    SCOPED_TRACE(to_string(cut));
    const Partition rows(world(), ranks::own_rows(world(), cut, n));
    const OwnEntries<double> own = distribute_entries(ctx, rows, A);
    std::size_t place = 0;
    for (Index from = 0; from < static_cast<Index>(world().size()); ++from) {
      ASSERT_EQ(own.first[static_cast<std::size_t>(from)], static_cast<Offset>(place));
      for (Index e = 0; e < static_cast<Index>(A.nnz()); ++e) {
        const auto i = static_cast<std::size_t>(e);
        if (rows.owner(A.row_indices[i]) == world().rank()) {
          ASSERT_LT(place, own.values.size());
          EXPECT_EQ(own.row_indices[place], A.row_indices[i] - rows.first(world().rank()));
          EXPECT_EQ(own.col_indices[place], A.col_indices[i]);
          EXPECT_EQ(own.values[place], 10000.0 * from + e);
          ++place;
        }
      }
    }
    EXPECT_EQ(own.values.size(), place);
    EXPECT_EQ(own.first.back(), static_cast<Offset>(place));
  }
}

/// A file of them would have more bytes than a test can write; its size line is read.
TEST_F(SharedFiles, MayBeOfMoreRowsThan32BitsCount) {
  const std::string path =
      write("wide.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2744000000 2744000000 1\n1 1 1\n");
  EXPECT_EQ(Outcomes(path).shared.error,
            path + ":2: 2744000000 rows, but only 1 nonzero: of more than 1000000 rows, not so many may be empty");
}

/// The last four are those of the last rank, and the entries of all lie in them, in no order and some twice.
TEST(DistributedEntries, MayBeOfMoreRowsThan32BitsCount) {
  if (world().size() == 1) {
    GTEST_SKIP() << "a rank has fewer rows";
  }
  constexpr std::int64_t n = 2744000000;
  Context<Host> ctx(1, world());
  const bool is_first = world().rank() == 0;
  const bool is_last = world().rank() + 1 == world().size();
  const Partition partition(world(), is_first ? n - 4 : is_last ? 4 : 0);
  const std::string row = "2743999999 ";
  const std::string all = row + "2744000000 3\n" + row + "1 5\n2743999997 2743999997 1\n" + row + "2744000000 4\n";
  const std::string text = is_first ? all : "";
  MatrixMarketHeader header;
  header.symmetry = MatrixMarketSymmetry::symmetric;
  header.rows = header.cols = n;
  header.entries = is_first ? 4 : 0;
  const LineBlocks lines = split_lines(ctx, text, 1);
  auto entries = take_entries<GlobalEntries<double, Host>>(ctx, lines, header.entries, header, "text");
  EXPECT_EQ(entries.wrong.count, 0);
  mirror(ctx, lines, header, entries);
  OwnEntries<double> own = distribute_entries(ctx, partition, entries_between(entries.triplets, 0, entries.of_file));
  OwnEntries<double> others =
      distribute_entries(ctx, partition, entries_between(entries.triplets, entries.of_file, entries.count));
  EXPECT_EQ(own.nnz(), is_last ? 4 : 0);
  if (!is_last) {
    return;
  }
  DuplicateEntries duplicates;
  const GlobalRows<double, Host> A = assemble_rows(ctx, partition, std::move(own), std::move(others), duplicates);
  EXPECT_EQ(duplicates.entries, 1);
  EXPECT_EQ(std::vector(A.row_offsets.data(), A.row_offsets.data() + 5), (std::vector<Offset>{0, 1, 1, 3, 4}));
  EXPECT_EQ(std::vector(A.col_indices.data(), A.col_indices.data() + 4),
            (std::vector<std::int64_t>{n - 4, 0, n - 1, n - 2}));
  EXPECT_EQ(std::vector(A.values.data(), A.values.data() + 4), (std::vector<double>{1, 5, 7, 7}));
}

}  // namespace
}  // namespace amgsolve
