#include "rung/request.hpp"

#include <gtest/gtest.h>

namespace rungs {
namespace {

template <class Function>
std::string refusal(Function function) {
  try {
    function();
  } catch (const Refused& refused) {
    return refused.what();
  }
  return "not refused";
}

TEST(Request, IsReadByName) {
  const Request request(
      R"({"do":"open","shape":[64,32],"cold":true,"samples":7,"seconds":0.5})");
  EXPECT_EQ(request.action(), "open");
  EXPECT_EQ(request.wholes("shape"), (std::vector<int>{64, 32}));
  EXPECT_TRUE(request.flag("cold", false));
  EXPECT_EQ(request.whole("samples", 100), 7);
  EXPECT_EQ(request.number("seconds", 1), 0.5);
}

TEST(Request, HasRangesOfInputs) {
  const Request request(R"({"ranges":{"X":[9.5,10.5],"Y":[1,1]}})");
  const Ranges ranges = request.ranges("ranges");
  ASSERT_EQ(ranges.size(), 2u);
  EXPECT_EQ(ranges.at("X").low, 9.5F);
  EXPECT_EQ(ranges.at("X").high, 10.5F);
  EXPECT_EQ(ranges.at("Y").low, 1);
  EXPECT_TRUE(request.ranges("others").empty());
  for (const char* line : {R"({"ranges":[0,1]})", R"({"ranges":{"X":[0]}})",
                           R"({"ranges":{"X":[0,1,2]}})", R"({"ranges":{"X":1}})",
                           R"({"ranges":{"X":[0,"1"]}})", R"({"ranges":null})"}) {
    EXPECT_EQ(refusal([&] { return Request(line).ranges("ranges"); }),
              "\"ranges\" is not ranges such as {\"X\": [0, 1]}")
        << line;
  }
}

TEST(Request, HasDefaults) {
  const Request request(R"({"do":"measure"})");
  EXPECT_EQ(request.whole("samples", 100), 100);
  EXPECT_EQ(request.text("cache", "warm"), "warm");
  EXPECT_FALSE(request.flag("small", false));
  EXPECT_EQ(request.number("seconds", 0.5), 0.5);
}

TEST(Request, IsAnObject) {
  for (const char* line : {"", "{", "nonsense", "{} {}", "{\"do\": NaN}", "\xFF"}) {
    EXPECT_EQ(refusal([&] { return Request(line); }),
              "the request is not one line of JSON")
        << line;
  }
  for (const char* line : {"[]", "1", "null", "\"hello\""}) {
    EXPECT_EQ(refusal([&] { return Request(line); }),
              "the request is not a JSON object");
  }
}

TEST(Request, NamesWhatIsWrong) {
  const Request request(
      R"({"do":1,"shape":[1.5],"cold":1,"samples":"many","batch":3000000000})");
  EXPECT_EQ(refusal([&] { return request.action(); }), "\"do\" is not a string");
  EXPECT_EQ(refusal([&] { return request.text("variant"); }),
            "\"variant\" is missing in the request");
  EXPECT_EQ(refusal([&] { return request.wholes("shape"); }),
            "\"shape\" is not a list of whole numbers");
  EXPECT_EQ(refusal([&] { return request.flag("cold", false); }),
            "\"cold\" is neither true nor false");
  EXPECT_EQ(refusal([&] { return request.whole("samples", 1); }),
            "\"samples\" is not a whole number");
  EXPECT_EQ(refusal([&] { return request.whole("batch", 1); }),
            "\"batch\" is not a whole number");
  EXPECT_EQ(refusal([&] { return request.number("samples", 1); }),
            "\"samples\" is not a number");
}

}  // namespace
}  // namespace rungs
