// The tolerance of layer normalisation: wide enough for FP32 in any order, too
// narrow for a forgotten term, lower precision, or a variance that cancels.
#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "check/case.hpp"
#include "lessons/layernorm/layernorm.hpp"

namespace layernorm {
namespace {

using Values = std::vector<float>;

/// What is wrong with a normalisation; nothing by default.
struct Fault {
  float epsilon = layernorm::epsilon;
  bool forgets_gamma = false;
  bool forgets_beta = false;
  bool forgets_mean = false;
  bool one_pass = false;  // mean square minus squared mean
  bool sample_variance = false;
};

/// Layer normalisation in FP32, every sum from left to right.
Values normalise(const rungs::Shape& shape, const rungs::Tensors<float>& in,
                 const Fault& fault) {
  const int width = shape["width"];
  Values y(in.at("X").size());
  for (int row = 0; row < shape["rows"]; ++row) {
    const float* const x = &in.at("X")[row * width];
    float sum = 0;
    for (int col = 0; col < width; ++col) sum += x[col];
    const float mean = sum / width;
    const float from = fault.one_pass ? 0 : mean;
    float squares = 0;
    for (int col = 0; col < width; ++col) {
      squares = std::fma(x[col] - from, x[col] - from, squares);
    }
    float variance = squares / (width - (fault.sample_variance ? 1 : 0));
    if (fault.one_pass) variance = std::fmax(variance - mean * mean, 0.0F);
    const float per_deviation = 1 / std::sqrt(variance + fault.epsilon);
    for (int col = 0; col < width; ++col) {
      const float gamma = fault.forgets_gamma ? 1 : in.at("gamma")[col];
      const float beta = fault.forgets_beta ? 0 : in.at("beta")[col];
      const float distance = x[col] - (fault.forgets_mean ? 0 : mean);
      y[row * width + col] = distance * per_deviation * gamma + beta;
    }
  }
  return y;
}

class Rows : public testing::TestWithParam<int> {
 protected:
  rungs::Comparison check(const Values& y) { return rows_case.check({{"Y", y}}); }
  rungs::Comparison check(const Fault& fault) {
    return check(normalise(rows_case.shape(), rows_case.inputs(), fault));
  }

  rungs::Case rows_case{problem().operation(),
                        problem().operation().shape({16, GetParam()}), 1};
};

TEST_P(Rows, OfFp32SummedInOrderPassWithRoom) {
  const rungs::Comparison found = check(Fault{});
  EXPECT_TRUE(found.passed) << found.message;
  EXPECT_LT(found.max_relative_error, found.tolerance / 2);
}

TEST_P(Rows, OfOnePassPassAtASmallMean) {
  const rungs::Comparison found = check(Fault{.one_pass = true});
  EXPECT_TRUE(found.passed) << found.message;
}

TEST_P(Rows, WithAnotherEpsilonFail) {
  EXPECT_FALSE(check(Fault{.epsilon = 0}).passed);
  EXPECT_FALSE(check(Fault{.epsilon = 1e-6F}).passed);
  EXPECT_FALSE(check(Fault{.epsilon = 1e-4F}).passed);
}

TEST_P(Rows, WithoutATermFail) {
  EXPECT_FALSE(check(Fault{.forgets_gamma = true}).passed);
  EXPECT_FALSE(check(Fault{.forgets_beta = true}).passed);
  EXPECT_FALSE(check(Fault{.forgets_mean = true}).passed);
}

TEST_P(Rows, DividedByOneColumnLessFail) {
  EXPECT_FALSE(check(Fault{.sample_variance = true}).passed);
}

TEST_P(Rows, OfTf32InputsFailByFar) {
  rungs::Tensors<float> in = rows_case.inputs();
  for (auto& [name, values] : in) {
    for (float& value : values) {
      value = std::bit_cast<float>(
          (std::bit_cast<std::uint32_t>(value) + (1u << 12)) & ~((1u << 13) - 1));
    }
  }
  const rungs::Comparison found = check(normalise(rows_case.shape(), in, {}));
  EXPECT_FALSE(found.passed);
  EXPECT_GT(found.max_relative_error, 10 * found.tolerance);
}

TEST_P(Rows, WithoutTheirLastColumnFail) {
  Values y = normalise(rows_case.shape(), rows_case.inputs(), {});
  y.back() = 0;
  EXPECT_FALSE(check(y).passed);
}

INSTANTIATE_TEST_SUITE_P(OfWidth, Rows, testing::Values(33, 768, 1021, 8192));

TEST(LargeMean, IsNormalisedFromDistancesAndNotFromSquares) {
  rungs::Operation far = problem().operation();
  far.inputs[0].low = 15.5F;
  far.inputs[0].high = 16.5F;
  rungs::Case far_case(far, far.shape({16, 768}), 1);
  const auto check = [&](const Fault& fault) {
    return far_case.check(
        {{"Y", normalise(far_case.shape(), far_case.inputs(), fault)}});
  };
  // A running sum near 16 * 768 is itself less exact: its mean is off by more than
  // the tolerance of the problem's own inputs, but by far less than the variance.
  const double centred = check(Fault{}).max_relative_error;
  const rungs::Comparison one_pass = check(Fault{.one_pass = true});
  EXPECT_FALSE(one_pass.passed);
  EXPECT_GT(one_pass.max_relative_error, 3 * centred);
}

TEST(OneColumn, IsBeta) {
  const rungs::Operation& operation = problem().operation();
  rungs::Case one(operation, operation.shape({1, 1}), 1);
  const Values& beta = one.inputs().at("beta");
  EXPECT_TRUE(one.check({{"Y", beta}}).passed);
  EXPECT_FALSE(one.check({{"Y", {beta[0] + 1e-4F}}}).passed);
}

}  // namespace
}  // namespace layernorm
