#include "src/library/memory_timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>

namespace amgsolve {
namespace {

constexpr std::size_t megabyte = 1'000'000;

/// As whoever looks does.
void look(MemoryTimeline& timeline, double seconds, std::size_t in_use, std::size_t peak) {
  if (timeline.is_news(in_use, peak)) {
    timeline.add(seconds, in_use, peak, "setup");
  }
}

TEST(MemoryTimeline, TakesWhatChanges) {
  MemoryTimeline timeline;
  look(timeline, 0.0, 0, 0);
  EXPECT_TRUE(timeline.samples().empty());
  look(timeline, 1.0, 10 * megabyte, 10 * megabyte);
  look(timeline, 2.0, 10 * megabyte + 1, 10 * megabyte + 1);
  look(timeline, 3.0, 5 * megabyte, 10 * megabyte + 1);
  ASSERT_EQ(timeline.samples().size(), 2U);
  EXPECT_EQ(timeline.samples()[0].bytes, 10 * megabyte);
  EXPECT_EQ(timeline.samples()[0].phase, "setup");
  EXPECT_EQ(timeline.samples()[1].seconds, 3.0);
}

TEST(MemoryTimeline, SeesAPeakBetweenTwoLooks) {
  MemoryTimeline timeline;
  look(timeline, 1.0, megabyte, megabyte);
  look(timeline, 2.0, megabyte, 9 * megabyte);
  ASSERT_EQ(timeline.samples().size(), 3U);
  EXPECT_EQ(timeline.samples()[1].bytes, 9 * megabyte);
  EXPECT_EQ(timeline.samples()[2].bytes, megabyte);
}

TEST(MemoryTimeline, StaysShortAndKeepsThePeak) {
  MemoryTimeline timeline;
  const std::size_t peak = 100 * megabyte;
  for (std::size_t i = 0; i < 100'000; ++i) {
    look(timeline, static_cast<double>(i), i == 40'000 ? peak : (i % 50) * megabyte, i < 40'000 ? 49 * megabyte : peak);
  }
  EXPECT_LE(timeline.samples().size(), MemoryTimeline::most_samples + 1);
  EXPECT_GT(timeline.samples().size(), 10U);
  const auto bytes = [](const MemoryTimeline::Sample& sample) { return sample.bytes; };
  EXPECT_EQ(std::ranges::max(timeline.samples(), {}, bytes).bytes, peak);
  EXPECT_TRUE(std::ranges::is_sorted(timeline.samples(), {}, &MemoryTimeline::Sample::seconds));
}

}  // namespace
}  // namespace amgsolve
