#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>

#include "tests/reference/hostile_matrix_market.hpp"

namespace amgsolve {
namespace {

const std::array<std::string, 6> valid_files{
    "%%MatrixMarket matrix coordinate real general\n% comment\n3 4 4\n3 1 -1.5e1\n1 4 .25\n1 2 7\n2 2 0\n",
    "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n1 1 4.0\n2 1 -1\n3 2 -1\n3 3 4e+0\n",
    "%%MatrixMarket matrix coordinate real skew-symmetric\r\n3 3 2\r\n2 1 1\r\n3 1 2\r\n",
    "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n2 1\n3 2\n4 4\n",
    "%%MatrixMarket matrix coordinate integer general\n2 2 3\n1 1 5\n2 2 -6\n1 1 7\n",
    "%%MatrixMarket matrix array real general\n3 2\n1\n2\n3\n4\n5\n6\n",
};

const std::array<std::string, 16> fragments{"\n",  "\r\n", " ",   "%",   "-",     "+",      "0",          "9",
                                            "1e9", "e",    "nan", "inf", "1e999", "1e-999", "2147483648", "\xff"};

/// Changes a text in one place. The same sequence of numbers gives the same changes everywhere, which the standard
/// promises for mt19937 but not for its distributions.
void mutate(std::string& text, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
  // Most files with a changed banner are refused at once, so most changes come after it.
  const std::size_t first = below(4) == 0 ? 0 : std::min(text.find('\n'), text.size());
  const std::size_t at = first + below(text.size() - first + 1);
  switch (below(5)) {
    case 0:
      text.insert(at, fragments[below(fragments.size())]);
      break;
    case 1:
      text.erase(at, 1 + below(4));
      break;
    case 2:
      text.insert(below(text.size() + 1), text.substr(at, 1 + below(12)));
      break;
    case 3:
      text.resize(at);
      break;
    default:
      text.replace(at, 1, 1, static_cast<char>(below(256)));
      break;
  }
}

TEST(MatrixMarketMutations, AreReadOrRefused) {
  std::mt19937 random(2024);
  int accepted = 0;
  constexpr int mutations = 20'000;
  for (int i = 0; i < mutations; ++i) {
    std::string text = valid_files[static_cast<std::size_t>(i) % valid_files.size()];
    for (std::size_t changes = 1 + random() % 3; changes > 0; --changes) {
      mutate(text, random);
    }
    ASSERT_NO_THROW(accepted += reference::parse_hostile_text(text) ? 1 : 0) << text;
  }
  // Both paths are walked.
  EXPECT_GT(accepted, mutations / 50);
  EXPECT_LT(accepted, mutations / 2);
}

TEST(MatrixMarketMutations, EveryPrefixIsReadOrRefused) {
  for (const std::string& file : valid_files) {
    EXPECT_TRUE(reference::parse_hostile_text(file)) << file;
    for (std::size_t size = 0; size < file.size(); ++size) {
      ASSERT_NO_THROW(reference::parse_hostile_text(file.substr(0, size))) << file.substr(0, size);
    }
  }
}

}  // namespace
}  // namespace amgsolve
