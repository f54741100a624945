#include <gtest/gtest.h>

#include <stdexcept>

#include "src/library/table.hpp"

namespace amgsolve {
namespace {

TEST(Table, AlignsCellsUnderHeadings) {
  Table table({{"name", Table::Align::left}, {"n"}});
  table.add_row({"a", "1000"});
  table.add_row({"longer", "7"});
  EXPECT_EQ(table.text(),
            "  name       n\n"
            "  ------  ----\n"
            "  a       1000\n"
            "  longer     7\n");
}

TEST(Table, HasNoTrailingBlanks) {
  Table table({{"a", Table::Align::left}, {"b"}});
  table.add_row({"x", ""});
  EXPECT_EQ(table.text(), "  a  b\n  -  -\n  x\n");
}

TEST(Table, CountsCharactersAndNotBytes) {
  Table table({{"µ", Table::Align::left}, {"x"}});
  table.add_row({"θ²", "1"});
  table.add_row({"ab", "2"});
  EXPECT_EQ(table.text(), "  µ   x\n  --  -\n  θ²  1\n  ab  2\n");
  EXPECT_EQ(text_width("θ²"), 2U);
}

TEST(Table, RefusesARowOfAnotherLength) {
  Table table({{"a"}, {"b"}});
  EXPECT_THROW(table.add_row({"1"}), std::invalid_argument);
}

}  // namespace
}  // namespace amgsolve
