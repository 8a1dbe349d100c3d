// The comparison must refuse every way in which an output can be wrong. Each test
// takes an output that passes and corrupts it.
#include "check/comparison.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "check/inputs.hpp"
#include "check/poison.hpp"
#include "check/product.hpp"

namespace rungs {
namespace {

constexpr int rows = 48;
constexpr int cols = 80;
constexpr int depth = 64;
constexpr float poison = std::bit_cast<float>(0xFFFFFFFFu);

/// A product of two matrices, right to FP32's precision.
class ComparisonOfAProduct : public testing::Test {
 protected:
  ComparisonOfAProduct()
      : reference(product_of(a, b)), output(to_float(reference)) {}

  static std::vector<double> product_of(const std::vector<float>& a,
                                        const std::vector<float>& b) {
    std::vector<double> c(rows * cols);
    product(a, b, c, rows, cols, depth);
    return c;
  }

  static std::vector<float> to_float(const std::vector<double>& values) {
    return {values.begin(), values.end()};
  }

  /// The product of inputs whose last `dropped` bits are rounded away, to nearest.
  std::vector<float> with_rounded_inputs(int dropped) const {
    const auto rounded = [dropped](std::vector<float> values) {
      for (float& value : values) {
        const std::uint32_t half = 1u << (dropped - 1);
        const std::uint32_t kept = ~((1u << dropped) - 1);
        value = std::bit_cast<float>((std::bit_cast<std::uint32_t>(value) + half) &
                                     kept);
      }
      return values;
    };
    return to_float(product_of(rounded(a), rounded(b)));
  }

  Comparison compared() const {
    return compare("C", {rows, cols}, output, reference, tolerance);
  }

  const std::vector<float> a = uniform(rows * depth, 1, 0, -1, 1);
  const std::vector<float> b = uniform(depth * cols, 1, 1, -1, 1);
  const std::vector<double> reference;
  std::vector<float> output;
  const Tolerance tolerance{.relative = 3e-6, .scale = 2.7};
};

TEST_F(ComparisonOfAProduct, PassesWhenRight) {
  const Comparison found = compared();
  EXPECT_TRUE(found.passed);
  EXPECT_EQ(found.message, "");
  EXPECT_LT(found.max_relative_error, 1e-7);
  EXPECT_EQ(found.tolerance, 3e-6);
}

TEST_F(ComparisonOfAProduct, FailsOnOneNan) {
  output[rows * cols - 1] = std::numeric_limits<float>::quiet_NaN();
  const Comparison found = compared();
  EXPECT_FALSE(found.passed);
  EXPECT_TRUE(std::isnan(found.max_relative_error));
  EXPECT_NE(found.message.find("1 of 3840 elements of C are wrong"),
            std::string::npos);
  EXPECT_EQ(found.message.find("never written"), std::string::npos);
}

TEST_F(ComparisonOfAProduct, FailsOnNanInEveryElement) {
  output.assign(output.size(), std::numeric_limits<float>::quiet_NaN());
  EXPECT_FALSE(compared().passed);
}

TEST_F(ComparisonOfAProduct, FailsOnInfinity) {
  output[7] = std::numeric_limits<float>::infinity();
  EXPECT_FALSE(compared().passed);
}

TEST_F(ComparisonOfAProduct, NamesTheOneWrongElement) {
  output[5 * cols + 17] += 1e-4f;
  const Comparison found = compared();
  EXPECT_FALSE(found.passed);
  EXPECT_NE(found.message.find("the first is C[5][17] = "), std::string::npos)
      << found.message;
}

TEST_F(ComparisonOfAProduct, FailsOnASkippedLastTile) {
  for (int row = rows - 16; row < rows; ++row) {
    for (int col = cols - 16; col < cols; ++col) output[row * cols + col] = poison;
  }
  const Comparison found = compared();
  EXPECT_FALSE(found.passed);
  EXPECT_NE(found.message.find("256 were never written"), std::string::npos)
      << found.message;
}

TEST_F(ComparisonOfAProduct, FailsOnUntouchedPoison) {
  output.assign(output.size(), poison);
  const Comparison found = compared();
  EXPECT_FALSE(found.passed);
  EXPECT_NE(found.message.find("3840 were never written"), std::string::npos);
}

TEST_F(ComparisonOfAProduct, FailsOnZeros) {
  output.assign(output.size(), 0.0f);
  EXPECT_FALSE(compared().passed);
}

TEST_F(ComparisonOfAProduct, FailsOnTheTransposedInput) {
  std::vector<float> transposed(output.size());
  for (int i = 0; i < rows * cols; ++i)
    transposed[i] = output[i % rows * cols + i / rows];
  output = transposed;
  EXPECT_FALSE(compared().passed);
}

TEST_F(ComparisonOfAProduct, FailsOnInputsRoundedToBf16) {
  output = with_rounded_inputs(16);
  EXPECT_FALSE(compared().passed);
}

TEST_F(ComparisonOfAProduct, FailsOnInputsRoundedToTf32) {
  output = with_rounded_inputs(13);
  const Comparison found = compared();
  EXPECT_FALSE(found.passed);
  EXPECT_GT(found.max_relative_error, 10 * found.tolerance);
}

TEST(Comparison, MeasuresAgainstTheScaleNearZero) {
  const std::vector<float> output{1.5e-6f};
  const std::vector<double> reference{1e-6};
  EXPECT_TRUE(
      compare("y", {1}, output, reference, {.relative = 1e-6, .scale = 1}).passed);
  EXPECT_FALSE(compare("y", {1}, output, reference, {.relative = 1e-6}).passed);
}

TEST(Comparison, TakesAnExactZeroForRight) {
  const std::vector<float> output{0.0f};
  const std::vector<double> reference{0.0};
  EXPECT_TRUE(compare("y", {1}, output, reference, {.relative = 1e-6}).passed);
}

TEST(Comparison, NamesAScalarWithoutSubscript) {
  const std::vector<float> output{2.0f};
  const std::vector<double> reference{1.0};
  const Comparison found =
      compare("sum", {}, output, reference, {.relative = 1e-6});
  EXPECT_NE(found.message.find("the first is sum = 2, which should be 1"),
            std::string::npos)
      << found.message;
}

TEST(Comparison, RefusesToCompareNothingOrOtherLengths) {
  const std::vector<float> one{1.0f};
  const std::vector<double> two{1.0, 2.0};
  EXPECT_THROW(compare("y", {1}, one, two, {}), std::invalid_argument);
  EXPECT_THROW(compare("y", {0}, {}, {}, {}), std::invalid_argument);
}

TEST(Poison, IsFourBytesOfANan) {
  float value = 0;
  std::memset(&value, poison_byte, sizeof(value));
  EXPECT_TRUE(std::isnan(value));
  EXPECT_TRUE(is_poison(value));
  EXPECT_FALSE(is_poison(std::numeric_limits<float>::quiet_NaN()));
}

}  // namespace
}  // namespace rungs
