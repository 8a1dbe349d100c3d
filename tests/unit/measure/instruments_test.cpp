// The instruments on the CPU device, which has streams, events and graphs and no
// time: how often they launch, with which indices, and what they answer when a
// launch fails.
#include <gtest/gtest.h>

#include <algorithm>

#include "measure/graph.hpp"
#include "measure/host_clock.hpp"
#include "measure/measure.hpp"
#include "measure/measure_c.h"
#include "measure/missing.hpp"
#include "measure/span.hpp"

namespace rungs {
namespace {

class Instruments : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking),
              cudaSuccess);
  }
  void TearDown() override { EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess); }

  /// Launches that put nothing into the stream and remember their indices.
  Launches counted() {
    return {[this](int index, cudaStream_t) { indices_.push_back(index); },
            stream_};
  }

  /// Launches of which this one fails.
  Launches failing_at(int bad) {
    return {[bad](int index, cudaStream_t) {
              if (index == bad) throw std::runtime_error("the library refuses");
            },
            stream_};
  }

  bool is_capturing() const {
    cudaStreamCaptureStatus status{};
    EXPECT_EQ(cudaStreamIsCapturing(stream_, &status), cudaSuccess);
    return status != cudaStreamCaptureStatusNone;
  }

  cudaStream_t stream_ = nullptr;
  std::vector<int> indices_;
};

std::vector<int> up_to(int count) {
  std::vector<int> indices;
  for (int i = 0; i < count; ++i) indices.push_back(i);
  return indices;
}

TEST_F(Instruments, AwaitedAndSubmitLaunchOnceASample) {
  Launches launches = counted();
  const Samples awaited = measure_awaited(launches, 5);
  EXPECT_EQ(indices_, up_to(5));
  EXPECT_EQ(awaited.size(), 5u);
  const Samples submit = measure_submit(launches, 3);
  EXPECT_EQ(indices_, up_to(8));
  EXPECT_EQ(submit.size(), 3u);
  EXPECT_TRUE(std::all_of(awaited.begin(), awaited.end(),
                          [](std::int64_t time) { return time >= 0; }));
}

TEST_F(Instruments, QueuedLaunchesABatchASample) {
  Launches launches = counted();
  EXPECT_EQ(measure_queued(launches, 3, 10).size(), 3u);
  EXPECT_EQ(indices_, up_to(30));
}

TEST_F(Instruments, AGraphIsLaunchedIntoOnce) {
  Launches launches = counted();
  const Graph graph(launches, 4);
  EXPECT_NE(graph.get(), nullptr);
  EXPECT_EQ(indices_, up_to(4));
  EXPECT_FALSE(is_capturing());
}

TEST_F(Instruments, AFailedCaptureLeavesTheStreamUsable) {
  Launches launches = failing_at(2);
  EXPECT_THROW(Graph(launches, 4), std::runtime_error);
  EXPECT_FALSE(is_capturing());
  EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
}

TEST_F(Instruments, TheDefaultStreamIsNotCaptured) {
  Launches launches([](int, cudaStream_t) {}, nullptr);
  EXPECT_THROW(Graph(launches, 1), Missing);
}

TEST_F(Instruments, MeasuringWarmsUpWithTenLaunches) {
  const Json answer =
      measure({.instrument = "queued", .samples = 2, .batch = 5}, counted());
  EXPECT_EQ(indices_, up_to(20));
  EXPECT_EQ(answer.at("unit"), "us");
  EXPECT_EQ(answer.at("samples").size(), 2u);
}

TEST_F(Instruments, ALaunchThatFailsLeavesAGap) {
  for (const char* instrument :
       {"span", "kernel", "awaited", "queued", "graph", "submit"}) {
    const Json answer =
        measure({.instrument = instrument, .samples = 3}, failing_at(3));
    EXPECT_EQ(answer.dump(), R"({"missing":"the library refuses"})") << instrument;
  }
  const Json during =
      measure({.instrument = "graph", .samples = 3}, failing_at(10));
  EXPECT_EQ(during.dump(), R"({"missing":"the library refuses"})");
  EXPECT_FALSE(is_capturing());
}

TEST_F(Instruments, EventsWithoutATimeAreMissing) {
  const Json answer = measure({.instrument = "span", .samples = 3}, counted());
  EXPECT_EQ(answer.dump(), R"({"missing":"CUDA gave no time by its events"})");
}

TEST_F(Instruments, KernelTimesAreMissingWithAReason) {
  // Nothing is recorded: no driver for CUPTI here, or no kernel for it to see.
  const Json answer = measure({.instrument = "kernel", .samples = 3}, counted());
  ASSERT_TRUE(answer.contains("missing")) << answer;
  EXPECT_GT(answer.at("missing").get<std::string>().size(), 20u) << answer;
}

TEST(RefuseMeasurement, SaysWhatThereIs) {
  EXPECT_EQ(refuse({.instrument = "span"}), "");
  EXPECT_EQ(refuse({.instrument = "graph", .batch = 100}), "");
  EXPECT_EQ(
      refuse({.instrument = "stopwatch"}),
      "no instrument is called \"stopwatch\"; there is span, kernel, awaited, "
      "queued, graph and submit");
  EXPECT_EQ(refuse({.instrument = "span", .samples = 0}),
            "0 samples cannot be taken; give 1 to 1000000");
  EXPECT_EQ(refuse({.instrument = "queued", .batch = -1}),
            "-1 operations are no batch; give 1 to 1000000");
  EXPECT_EQ(
      refuse({.instrument = "span", .batch = 10}),
      "span times one operation a sample; only queued and graph take a batch");
}

// Through the C interface.

int count_launches(void* context, int /*index*/, void* /*stream*/) {
  ++*static_cast<int*>(context);
  return 0;
}

int fail_at_eleven(void* /*context*/, int index, void* /*stream*/) {
  return index == 11 ? 7 : 0;
}

TEST_F(Instruments, AnswerOtherLanguages) {
  int launches = 0;
  const Json answer = Json::parse(
      rungs_measure("queued", 4, 25, count_launches, &launches, stream_));
  EXPECT_EQ(launches, 10 + 4 * 25);
  EXPECT_EQ(answer.at("samples").size(), 4u);
}

TEST_F(Instruments, TellWhichLaunchOfAnotherLanguageFailed) {
  EXPECT_STREQ(rungs_measure("awaited", 4, 1, fail_at_eleven, nullptr, stream_),
               R"({"missing":"launch 11 failed: its function returned 7"})");
}

TEST_F(Instruments, RefuseWhatOtherLanguagesAskWrongly) {
  int launches = 0;
  const auto error = [](const char* answer) {
    return Json::parse(answer).at("error").get<std::string>();
  };
  EXPECT_EQ(error(rungs_measure("span", 0, 1, count_launches, &launches, stream_)),
            "0 samples cannot be taken; give 1 to 1000000");
  EXPECT_EQ(error(rungs_measure(nullptr, 1, 1, count_launches, &launches, stream_)),
            "rungs_measure needs an instrument and a launch function");
  EXPECT_EQ(error(rungs_measure("span", 1, 1, nullptr, nullptr, stream_)),
            "rungs_measure needs an instrument and a launch function");
  EXPECT_EQ(launches, 0);
  EXPECT_STREQ(rungs_measure_version(), "rungs-measure/1");
}

}  // namespace
}  // namespace rungs
