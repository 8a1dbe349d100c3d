#include "check/case.hpp"

#include <gtest/gtest.h>

#include <set>

#include "toy.hpp"

namespace rungs {
namespace {

class CaseTest : public testing::Test {
 protected:
  CaseTest() {
    outputs["sum"] = {0};
    for (const float x : inputs["x"]) {
      outputs["scaled"].push_back(2 * x);
      outputs["sum"][0] += x;
    }
  }

  const Operation operation = toy::operation();
  Case toy_case{operation, operation.shape({2, 3}), 1};
  Tensors<float> inputs = toy_case.inputs();
  Tensors<float> outputs;
};

TEST_F(CaseTest, PassesWhenEveryOutputIsRight) {
  EXPECT_TRUE(toy_case.check(outputs).passed);
}

TEST_F(CaseTest, FillsInputsInTheirRange) {
  EXPECT_EQ(inputs.at("x").size(), 6u);
  for (const float x : inputs.at("x")) EXPECT_GE(x, 0.0f);
}

TEST_F(CaseTest, FillsAWholeInputWithWholeNumbersOfItsRange) {
  Operation whole = toy::operation();
  whole.inputs = {{"x", {"rows", "cols"}, -2, 2, true}};
  const Case filled(whole, whole.shape({20, 30}), 1);
  const std::vector<float>& x = filled.inputs().at("x");
  EXPECT_EQ(std::set<float>(x.begin(), x.end()),
            (std::set<float>{-2, -1, 0, 1, 2}));
}

TEST_F(CaseTest, FailsWhenTheFirstOutputIsWrong) {
  outputs["scaled"][4] += 1;
  const Comparison found = toy_case.check(outputs);
  EXPECT_FALSE(found.passed);
  EXPECT_NE(found.message.find("scaled[1][1]"), std::string::npos) << found.message;
}

TEST_F(CaseTest, FailsWhenOnlyTheLastOutputIsWrong) {
  outputs["sum"][0] += 1;
  const Comparison found = toy_case.check(outputs);
  EXPECT_FALSE(found.passed);
  EXPECT_NE(found.message.find("sum = "), std::string::npos) << found.message;
}

TEST_F(CaseTest, FailsWhenAChangedInputIsNamed) {
  EXPECT_TRUE(toy_case.check(outputs).passed);
  const Comparison found = toy_case.check(outputs, "x");
  EXPECT_FALSE(found.passed);
  EXPECT_EQ(found.message, "the input x was changed");
}

TEST_F(CaseTest, TakesAnEmptyInput) {
  Operation empty = toy::operation();
  empty.least = {0, 1};
  empty.outputs = {{"sum", {}, toy::tolerance}};
  empty.reference = [](const Shape&, const Tensors<float>&, Tensors<double>& out) {
    out.at("sum")[0] = 0;
  };
  Case made(empty, empty.shape({0, 3}), 1);
  EXPECT_TRUE(made.inputs().at("x").empty());
  EXPECT_TRUE(made.check({{"sum", {0}}}).passed);
}

TEST_F(CaseTest, MakesItsReferenceOnce) {
  toy::references_made = 0;
  toy_case.check(outputs);
  toy_case.check(outputs);
  EXPECT_EQ(toy::references_made, 1);
}

}  // namespace
}  // namespace rungs
