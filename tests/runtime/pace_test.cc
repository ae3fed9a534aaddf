// SPDX-License-Identifier: Apache-2.0
#include "runtime/pace.h"

#include <gtest/gtest.h>

#include "../kernels/random.h"

namespace wasmvino::test {
namespace {

using runtime::Pace;

// Runs that take these times; counts those on one thread.
struct Runs {
  Pace pace;
  size_t alone = 0;
  double time = 0;

  void make(size_t count, double together, double single) {
    for (size_t i = 0; i < count; ++i) {
      const bool on_one = pace.alone();
      alone += on_one;
      time += on_one ? single : together;
      pace.took(on_one ? single : together, true);
    }
  }
};

TEST(Pace, LeavesRunsTogetherThatAreMuchFaster) {
  Runs runs;
  runs.make(5000, 1.0, 1.9);
  EXPECT_EQ(runs.alone, 1u) << "one is enough to know";
  EXPECT_FALSE(runs.pace.alone());
}

TEST(Pace, ComparesFromTimeToTimeWhereLittleIsGained) {
  Runs runs;
  runs.make(5000, 1.0, 1.1);
  EXPECT_GT(runs.alone, 100u);
  EXPECT_LT(runs.time, 5000 * 1.01);
}

TEST(Pace, RunsAloneWhereThatIsFaster) {
  for (const double together : {1.05, 1.2, 3.0}) {
    Runs runs;
    runs.make(20, together, 1.0);
    runs.alone = 0;
    runs.time = 0;
    runs.make(5000, together, 1.0);
    EXPECT_GT(runs.alone, 4500u) << together;
    EXPECT_LT(runs.time, 5000 * (together > 2 ? 1.04 : 1.02)) << together;
  }
}

TEST(Pace, FollowsWhatTheOtherCoresDo) {
  Runs runs;
  for (int change = 0; change < 3; ++change) {
    runs.make(1000, 1.0, 1.8);
    runs.alone = 0;
    runs.make(100, 1.0, 1.8);
    EXPECT_EQ(runs.alone, 0u);
    runs.make(100, 2.2, 1.8);  // until it is noticed
    runs.alone = 0;
    runs.make(1000, 2.2, 1.8);
    EXPECT_GT(runs.alone, 900u);
  }
}

// Runs of the same time, some of which something else holds up.
TEST(Pace, LosesLittleInNoise) {
  Runs runs;
  kernels::Random random(1);
  double wanted = 0;
  for (int i = 0; i < 5000; ++i) {
    const double spike = random.integer(0, 9) == 0 ? 3.0 : 1.0;
    runs.make(1, spike, spike * 1.5);
    wanted += spike;
  }
  EXPECT_LT(runs.time, wanted * 1.05);
}

TEST(Pace, GoesByWhatARunTookItsCaller) {
  Pace pace;
  size_t together = 0;
  for (int i = 0; i < 200; ++i) {
    pace.settle();
    together += pace.alone() ? 0 : 1;
    // Faster together, but for what the caller does then.
    pace.ran(pace.alone() ? 10.0 : 6.0, true);
    pace.took_caller(pace.alone() ? 12.0 : 14.0);
  }
  EXPECT_LT(together, 40u);
}

TEST(Pace, DoesNotMatterWhereNothingIsShared) {
  Pace pace;
  EXPECT_TRUE(pace.matters());
  pace.took(1.0, false);
  EXPECT_FALSE(pace.matters());
  EXPECT_FALSE(pace.alone());
}

}  // namespace
}  // namespace wasmvino::test
