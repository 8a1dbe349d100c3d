// The executor alone: a block runner of the test's own stands in for the
// interpreter.
#include "cpu_device/runtime/executor.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>
#include <thread>

#include "cpu_device/fault.hpp"

namespace rungs::cpu_device {
namespace {

std::function<void(uint64_t, const Launch&)> behaviour;
std::mutex ran_mutex;
std::set<uint64_t> ran;

}  // namespace

struct BlockRunner::State {
  Launch launch;
  KernelCounts counts;
};

BlockRunner::BlockRunner(const Launch& launch, const GlobalMemory&)
    : state_(new State{launch, {}}) {}
BlockRunner::~BlockRunner() = default;

void BlockRunner::run(uint64_t block) {
  {
    const std::lock_guard lock(ran_mutex);
    EXPECT_TRUE(ran.insert(block).second) << "block " << block << " runs twice";
  }
  behaviour(block, state_->launch);
  state_->counts.total.warp_instructions += block + 1;
}

KernelCounts BlockRunner::counts() const { return state_->counts; }

namespace {

class Executor : public testing::TestWithParam<unsigned> {
 protected:
  void SetUp() override { ran.clear(); }

  KernelCounts run(uint32_t blocks) {
    Launch launch;
    launch.grid.x = blocks;
    return run_blocks(launch, memory_, GetParam());
  }

  GlobalMemory memory_;
};

void pause(uint64_t microseconds) {
  std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
}

TEST_P(Executor, RunsEveryBlockOnceAndAddsTheCounts) {
  behaviour = [](uint64_t, const Launch&) {};
  for (const uint32_t blocks : {1u, 2u, 7u, 500u}) {
    ran.clear();
    EXPECT_EQ(run(blocks).total.warp_instructions,
              uint64_t{blocks} * (blocks + 1) / 2);
    EXPECT_EQ(ran.size(), blocks);
  }
}

TEST_P(Executor, TellsTheFaultOfTheSmallestBlock) {
  // Later blocks fault sooner: the first fault in time is not the one to tell.
  behaviour = [](uint64_t block, const Launch&) {
    if (block < 3) return;
    if (block < 12) pause(200 * (12 - block));
    throw Fault(FaultKind::trap, "block " + std::to_string(block));
  };
  for (int round = 0; round < 20; ++round) {
    ran.clear();
    try {
      run(100);
      ADD_FAILURE() << "no fault";
    } catch (const Fault& fault) {
      EXPECT_STREQ(fault.what(), "block 3");
    }
    for (uint64_t block = 0; block <= 3; ++block) EXPECT_TRUE(ran.contains(block));
    EXPECT_LT(ran.size(), 50u) << "a fault does not stop the launch";
  }
}

TEST_P(Executor, RunsAgainAfterAFault) {
  behaviour = [](uint64_t block, const Launch&) {
    if (block == 5) throw Unsupported("no such instruction");
  };
  EXPECT_THROW(run(10), Unsupported);
  behaviour = [](uint64_t, const Launch&) {};
  ran.clear();
  EXPECT_EQ(run(10).total.warp_instructions, 55u);
}

TEST_P(Executor, PrintsInTheOrderOfBlocks) {
  behaviour = [](uint64_t block, const Launch& launch) {
    launch.print("begin " + std::to_string(block) + "\n");
    pause((block * 7919) % 5 * 100);
    launch.print("end " + std::to_string(block) + "\n");
  };
  testing::internal::CaptureStdout();
  run(60);
  std::string expected;
  for (int block = 0; block < 60; ++block) {
    const std::string number = std::to_string(block);
    expected += "begin " + number + "\nend " + number + "\n";
  }
  EXPECT_EQ(testing::internal::GetCapturedStdout(), expected);
}

TEST_P(Executor, PrintsNothingOfBlocksAfterAFault) {
  behaviour = [](uint64_t block, const Launch& launch) {
    launch.print(std::to_string(block) + " ");
    if (block == 4) {
      pause(2000);
      throw Fault(FaultKind::assertion, "here");
    }
  };
  testing::internal::CaptureStdout();
  EXPECT_THROW(run(40), Fault);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "0 1 2 3 4 ");
}

TEST_P(Executor, KeepsTheOrderWhenItWritesBeforeTheEnd) {
  // More than it holds back: what earlier blocks printed goes out while others
  // still run.
  const std::string long_line(100'000, '.');
  behaviour = [&](uint64_t block, const Launch& launch) {
    launch.print(std::to_string(block) + long_line + "\n");
    pause((block * 31) % 7 * 50);
  };
  testing::internal::CaptureStdout();
  run(80);
  std::istringstream lines(testing::internal::GetCapturedStdout());
  std::string line;
  int expected = 0;
  while (std::getline(lines, line)) {
    EXPECT_EQ(line.size(), long_line.size() + std::to_string(expected).size());
    EXPECT_EQ(std::stoi(line), expected++);
  }
  EXPECT_EQ(expected, 80);
}

INSTANTIATE_TEST_SUITE_P(Threads, Executor, testing::Values(1u, 2u, 3u, 16u));

}  // namespace
}  // namespace rungs::cpu_device
