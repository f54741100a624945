#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/communicator_forwarding.hpp"
#include "core/errors.hpp"
#include "problems/solution_writer.hpp"
#include "tests/dist/ranks.hpp"
#include "tests/dist/shared_files.hpp"

namespace amgsolve {
namespace {

namespace fs = std::filesystem;
using ranks::Cut;
using ranks::world;
using reference::bytes_of_file;

/// What each rank has, and the file that one rank writes which has all of it.
constexpr std::array all_names{"x.npy", "x.amg", "x.mtx", "x.vti", "x.vtu"};

class WrittenFiles : public ranks::SharedFiles {
 protected:
  void make(Cut cut, Index points, Index columns, Index components = 1) {
    const Index rows = points * components;
    const Partition partition(world(), ranks::own_rows(world(), cut, rows));
    rows_ = rows;
    columns_ = columns;
    components_ = components;
    first_ = partition.first(world().rank());
    all_.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
    for (std::size_t i = 0; i < all_.size(); ++i) {
      all_[i] = static_cast<double>(i) + 1.0 / 3.0;
    }
    own_ = ranks::rows_of(all_, partition, world().rank(), static_cast<std::size_t>(columns));
    own_rows_ = static_cast<Index>(partition.rows(world().rank()));
  }

  Writers write(const fs::path& path) { return write(ctx_, path, own_, {first_, first_ + own_rows_}); }

  /// Rows of a rank, for ParaView with what stands beside them.
  Writers write(Context<Host>& ctx, const fs::path& path, const std::vector<double>& x, RowRange rows) const {
    const Index points = rows_ / components_;
    const ImageGeometry image{.grid = {.dimensions = 2, .size = {points, 1, 1}}, .components = components_};
    std::vector<double> places(2 * static_cast<std::size_t>(points) + 1);
    std::iota(places.begin(), places.end(), 0.5);
    std::vector<double> errors(x);
    std::ranges::transform(errors, errors.begin(), std::negate());
    std::vector<std::vector<Index>> aggregates(2);
    const RowRange own_points = points_in_rows(rows, components_);
    for (std::int64_t point = own_points.first; point < own_points.last; ++point) {
      aggregates[0].push_back(static_cast<Index>(point / 3));
      aggregates[1].push_back(static_cast<Index>(point % 7 - 1));
    }
    const auto view = [&](const std::vector<double>& of) {
      return MultiVectorView<const double, Host>(of.data(), static_cast<Index>(rows.count()), columns_);
    };
    return write_solution<double>(ctx, path, view(x), &image, {{places.data(), points, 2}, {}},
                                  {view(errors), aggregates});
  }

  /// The message of the error that all ranks have alike, "" where none has.
  template <class Error = OutputError>
  std::string error_of_write(const fs::path& path) {
    std::string message;
    try {
      write(path);
    } catch (const Error& error) {
      message = error.what();
    }
    const std::vector<char> all = world().all_gather_list(std::span<const char>(message));
    std::string repeated;
    for (int rank = 0; rank < world().size(); ++rank) {
      repeated += message;
    }
    EXPECT_EQ(std::string(all.begin(), all.end()), repeated) << "ranks have other errors";
    return message;
  }

  void expect_the_bytes_of_one_rank(const fs::path& path) {
    world().max(0);
    if (world().rank() == 0) {
      const fs::path alone = path_ / ("alone" + path.extension().string());
      Context<Host> ctx(1);
      write(ctx, alone, all_, {0, rows_});
      EXPECT_TRUE(bytes_of_file(path) == bytes_of_file(alone)) << path;
      EXPECT_NE(bytes_of_file(alone), "");
      fs::remove(alone);
    }
    world().max(0);
  }

  /// What lies in the directory, temporary files among it, is what is named.
  void expect_only(std::size_t files) {
    world().max(0);
    const auto entries = std::distance(fs::directory_iterator(path_), fs::directory_iterator());
    EXPECT_EQ(static_cast<std::size_t>(entries), files);
    world().max(0);
  }

  static Writers by_all() { return world().size() > 1 ? Writers::all : Writers::first; }

  Context<Host> ctx_{1, world()};
  Index rows_ = 0;
  Index components_ = 1;
  std::int64_t first_ = 0;
  Index own_rows_ = 0;
  Index columns_ = 0;
  std::vector<double> all_;
  std::vector<double> own_;
};

TEST_F(WrittenFiles, HaveTheBytesOfOneRank) {
  for (const Cut cut : ranks::all_cuts()) {
    for (const Index columns : {1, 3}) {
      for (const char* const name : all_names) {
        SCOPED_TRACE(to_string(cut) + " " + name + " " + std::to_string(columns));
        make(cut, 5003, columns);
        EXPECT_EQ(write(path_ / name), by_all());
        expect_the_bytes_of_one_rank(path_ / name);
      }
    }
  }
  expect_only(all_names.size());
}

/// Which ranks' rows are cut between.
TEST_F(WrittenFiles, HaveUnknownsOfAPointAsVectors) {
  for (const Cut cut : ranks::all_cuts()) {
    for (const Index components : {2, 3}) {
      for (const char* const name : {"x.vti", "x.vtu"}) {
        SCOPED_TRACE(to_string(cut) + " " + name + " " + std::to_string(components));
        make(cut, 2503, 2, components);
        EXPECT_EQ(write(path_ / name), by_all());
        expect_the_bytes_of_one_rank(path_ / name);
      }
    }
  }
}

/// Ranks that hear of a file without a name in another place than it is, as on a machine of their own.
class OnOtherMachines final : public ForwardingCommunicator {
 public:
  using ForwardingCommunicator::ForwardingCommunicator;
  using ForwardingCommunicator::gather_bytes;

  void gather_bytes(std::span<const std::byte> own, std::span<const std::size_t> lengths,
                    std::span<std::byte> all) const override {
    ForwardingCommunicator::gather_bytes(own, lengths, all);
    const std::span<const std::byte> proc = std::as_bytes(std::span(std::string_view("/proc/")));
    if (const auto found = std::search(all.begin(), all.end(), proc.begin(), proc.end()); found != all.end()) {
      *found = std::byte{'!'};
    }
  }
};

TEST_F(WrittenFiles, HaveANameMeanwhileForOtherMachines) {
  const OnOtherMachines others(world());
  Context<Host> ctx(1, others);
  make(Cut::uneven, 5003, 3);
  for (const char* const name : all_names) {
    EXPECT_EQ(write(ctx, path_ / name, own_, {first_, first_ + own_rows_}), by_all());
    expect_the_bytes_of_one_rank(path_ / name);
  }
  expect_only(all_names.size());
}

TEST_F(WrittenFiles, AreWrittenInPieces) {
  make(Cut::last, 560000, 1);  // 4.5 MB on one rank
  for (const char* const name : all_names) {
    EXPECT_EQ(write(path_ / name), by_all());
    expect_the_bytes_of_one_rank(path_ / name);
  }
}

TEST_F(WrittenFiles, MayHaveFewRowsOrNone) {
  for (const Index rows : {0, 1, 2}) {
    make(Cut::even, rows, 3);
    for (const char* const name : all_names) {
      EXPECT_EQ(write(path_ / name), by_all());
      expect_the_bytes_of_one_rank(path_ / name);
    }
  }
}

/// A process with less of something, where that is wanted, until the end of the scope.
class Limited {
 public:
  Limited(int resource, rlim_t limit, bool is_wanted) : resource_(resource) {
    getrlimit(resource_, &before_);
    rlimit limited = before_;
    limited.rlim_cur = limit;
    if (is_wanted) {
      setrlimit(resource_, &limited);
    }
  }
  ~Limited() { setrlimit(resource_, &before_); }
  Limited(const Limited&) = delete;
  Limited& operator=(const Limited&) = delete;

 private:
  int resource_;
  rlimit before_{};
};

/// Who can open no file does not see it, as on a machine that does not share the directory of the first rank.
TEST_F(WrittenFiles, AreWrittenByTheFirstRankWhereOneDoesNotSeeThem) {
  for (int blind = 1; blind < world().size(); ++blind) {
    for (const char* const name : all_names) {
      for (const Cut cut : ranks::all_cuts()) {
        SCOPED_TRACE(to_string(cut) + " " + name);
        make(cut, 5003, 3);
        {
          const Limited no_more_files(RLIMIT_NOFILE, 0, world().rank() == blind);
          EXPECT_EQ(write(path_ / name), Writers::first);
        }
        expect_the_bytes_of_one_rank(path_ / name);
      }
    }
    make(Cut::last, 560000, 1);
    {
      const Limited no_more_files(RLIMIT_NOFILE, 0, world().rank() == blind);
      EXPECT_EQ(write(path_ / "x.mtx"), Writers::first);
    }
    expect_the_bytes_of_one_rank(path_ / "x.mtx");
    expect_only(all_names.size());
  }
}

TEST_F(WrittenFiles, AreWrittenByTheFirstRankWhereTheyAreDevices) {
  make(Cut::even, 5003, 1);
  if (world().rank() == 0) {
    fs::create_symlink("/dev/null", path_ / "null.npy");
    fs::create_symlink("/dev/full", path_ / "full.npy");
  }
  world().max(0);
  EXPECT_EQ(write(path_ / "null.npy"), Writers::first);
  if (fs::exists("/dev/full")) {
    EXPECT_NE(error_of_write(path_ / "full.npy").find("full.npy: cannot write: No space left on device"),
              std::string::npos);
  }
}

TEST_F(WrittenFiles, SayOnAllRanksWhatPreventsWriting) {
  make(Cut::even, 5003, 1);
  const std::string orphan = (path_ / "missing" / "x.npy").string();
  EXPECT_NE(error_of_write(orphan).find(orphan + ": cannot write: there is no directory"), std::string::npos);
  if (world().rank() == 0) {
    fs::create_directory(path_ / "x.npy");
  }
  world().max(0);
  EXPECT_NE(error_of_write(path_ / "x.npy").find("it is a directory"), std::string::npos);
}

/// No byte past some 20,000 can be written, as on a full disk.
TEST_F(WrittenFiles, AreLeftAsTheyWereWhereOneRankFails) {
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  make(Cut::even, 5003 * world().size(), 1);
  for (const char* const name : all_names) {
    SharedFiles::write(name, "what was there");
    for (int failing = 0; failing < world().size(); ++failing) {
      SCOPED_TRACE(failing);
      std::string message;
      {
        const Limited small_files(RLIMIT_FSIZE, 20000, world().rank() == failing);
        message = error_of_write(path_ / name);
      }
      EXPECT_NE(message.find(std::string(name) + ": cannot write: File too large"), std::string::npos) << message;
      EXPECT_EQ(bytes_of_file(path_ / name), "what was there");
    }
  }
  expect_only(all_names.size());
  std::signal(SIGXFSZ, handler);
}

TEST_F(WrittenFiles, AreLeftAsTheyWereWhereOneRankIsInterrupted) {
  make(Cut::even, 5003, 1);
  for (const char* const name : {"x.npy", "x.mtx"}) {
    SharedFiles::write(name, "what was there");
    for (int asked = 0; asked < world().size(); ++asked) {
      bool is_asked = world().rank() == asked;
      ctx_.set_stop([&] { return std::exchange(is_asked, false); });
      EXPECT_NE(error_of_write<InterruptedError>(path_ / name), "");
      EXPECT_EQ(bytes_of_file(path_ / name), "what was there");
    }
  }
  expect_only(2);
}

}  // namespace
}  // namespace amgsolve
