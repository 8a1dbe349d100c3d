/// \file
/// The operand tables: edge cases first, then a few fixed pseudo-random rows.
#include <bit>
#include <cstdint>
#include <map>

#include "form.cuh"

namespace instructions {
namespace {

using Values = std::vector<unsigned long long>;
using Rows = std::vector<Operands>;

/// splitmix64: the tables must never change, whatever the standard library does.
class FixedRandom {
 public:
  explicit FixedRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

const Values kInt16 = {0,     1,      2,      3,      0x7f,   0x80,   0xff,
                       0x100, 0x7ffe, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff};
const Values kInt32 = {0,          1,          2,          7,          0xff,
                       0x8000,     0xffff,     0x10000,    0x7fffffff, 0x80000000,
                       0x80000001, 0xffffffff, 0xfffffffe, 0x12345678, 0xdeadbeef};
const Values kInt64 = {0,
                       1,
                       3,
                       0xffffffff,
                       0x100000000,
                       0x80000000,
                       0x7fffffffffffffff,
                       0x8000000000000000,
                       0x8000000000000001,
                       0xffffffffffffffff,
                       0xfffffffffffffffe,
                       0x123456789abcdef0,
                       0xdeadbeefcafebabe};
const Values kShifts = {0,  1,  2,  8,  15,  16,  17,         31,
                        32, 33, 63, 64, 127, 255, 0x80000001, 0xffffffff};
const Values kFloat32 = {
    0x00000000, 0x80000000,  // zeros
    0x3f800000, 0xbf800000,  // +-1
    0x3f800001, 0x33800000,  // 1 + ulp, 2^-24: sums with 1 lie halfway
    0x00000001, 0x807fffff,  // smallest and largest denormal
    0x00800000, 0x7f7fffff,  // smallest and largest normal
    0x7f800000, 0xff800000,  // infinities
    0x7fc12345, 0xff800001,  // quiet and signalling NaN with payloads
    0x3dcccccd, 0xc0490fdb,  // 0.1, -pi
};
const Values kFloat64 = {
    0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
    0x3ff0000000000001, 0x3ca0000000000000, 0x0000000000000001, 0x800fffffffffffff,
    0x0010000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000,
    0x7ff8000012345678, 0xfff0000000000001, 0x3fb999999999999a, 0xc00921fb54442d18,
};

/// Every pair of `a` and `b`; `c` and `d` walk through their lists at other speeds.
Rows cross(const Values& a, const Values& b, const Values& c, const Values& d) {
  Rows rows;
  std::size_t n = 0;
  for (const auto& first : a) {
    for (const auto& second : b) {
      rows.push_back({first, second, c[(n * 7 + n / 5) % c.size()],
                      d[(n * 3 + n / 7) % d.size()]});
      ++n;
    }
  }
  return rows;
}

void add_random(Rows& rows, int count, std::uint64_t mask, std::uint64_t seed) {
  FixedRandom random(seed);
  for (int i = 0; i < count; ++i) {
    Operands row{};
    row.a = random.next() & mask;
    row.b = random.next() & mask;
    row.c = random.next() & mask;
    row.d = random.next() & mask;
    rows.push_back(row);
  }
}

Rows unary(const Values& values) {
  Rows rows;
  for (const auto& value : values) rows.push_back({value, 0, 0, 0});
  return rows;
}

Rows with_random(Rows rows, int count, std::uint64_t mask, std::uint64_t seed) {
  add_random(rows, count, mask, seed);
  return rows;
}

/// Bits at every position, and their neighbours: for counting and searching bits.
Rows bit_patterns(int width) {
  Values values = width == 32 ? kInt32 : kInt64;
  for (int bit = 0; bit < width; bit += width / 32) {
    const std::uint64_t one = std::uint64_t{1} << bit;
    values.push_back(one);
    values.push_back(one - 1);
  }
  const std::uint64_t mask = width == 32 ? 0xffffffffu : ~std::uint64_t{0};
  return with_random(unary(values), 20, mask, 3);
}

Rows divisions(const Values& values, std::uint64_t mask) {
  Rows rows;
  for (const Operands& row :
       with_random(cross(values, values, values, values), 24, mask, 5)) {
    // The PTX manual leaves a zero divisor to the machine, so nobody may rely on
    // it.
    if ((row.b & mask) != 0) rows.push_back(row);
  }
  return rows;
}

/// Floats around every value where a conversion to an integer or half changes its
/// mind.
Values float32_conversions() {
  Values values = kFloat32;
  for (double edge : {0.5,
                      1.5,
                      2.5,
                      3.5,
                      0.25,
                      0.75,
                      127.0,
                      127.5,
                      128.0,
                      255.0,
                      255.5,
                      256.0,
                      32767.0,
                      32767.5,
                      32768.0,
                      65535.0,
                      65535.5,
                      65536.0,
                      2147483520.0,
                      2147483648.0,
                      4294967040.0,
                      4294967296.0,
                      9223371487098961920.0,
                      9223372036854775808.0,
                      18446742974197923840.0,
                      18446744073709551616.0,
                      65504.0,
                      65519.0,
                      65520.0,
                      1e-7,
                      5.9604645e-8,
                      2.9802322e-8,
                      6.1035156e-5,
                      6.0975552e-5,
                      1.00048828125,
                      1.0014648,
                      1.00390625,
                      1.01171875,
                      3.3895314e38,
                      8388607.5,
                      8388608.0}) {
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(edge));
    values.push_back(bits);
    values.push_back(bits ^ 0x80000000u);
    values.push_back(bits + 1);
  }
  return values;
}

Values float64_conversions() {
  Values values = kFloat64;
  for (const auto& bits : float32_conversions()) {
    const double wide = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (wide != wide) continue;
    const auto wide_bits = std::bit_cast<std::uint64_t>(wide);
    values.push_back(wide_bits);
    values.push_back(wide_bits + 1);
  }
  // Halfway between two floats, and a double too small or too large for one.
  for (double edge : {1.0 + 0x1p-24, 1.0 + 0x3p-24, 0x1p-150, 0x1.8p-149,
                      0x1p-127 + 0x1p-150, 0x1.fffffefp127, 0x1.ffffffp127, 1e300,
                      1e-300, 2147483647.5, 4294967295.5, 9007199254740993.0}) {
    values.push_back(std::bit_cast<std::uint64_t>(edge));
    values.push_back(std::bit_cast<std::uint64_t>(-edge));
  }
  return values;
}

Values halves() {
  Values values = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x0001, 0x83ff, 0x0400, 0x7bff,
                   0x7c00, 0xfc00, 0x7e00, 0x7c01, 0x3800, 0x3e00, 0x4100, 0x57f8,
                   0x5bf8, 0xd800, 0x77ff, 0x7800, 0xf801, 0x3555, 0x7f80, 0xff80,
                   0x7f7f, 0x0080, 0x007f, 0x3f80, 0x4049};
  FixedRandom random(7);
  for (int i = 0; i < 16; ++i) values.push_back(random.next() & 0xffff);
  return values;
}

/// Triples that tell a fused multiply-add from a rounded product, in every
/// rounding.
template <class Float, class Bits>
void add_fused(Rows& rows) {
  FixedRandom random(11);
  for (int i = 0; i < 48; ++i) {
    const Float a = static_cast<Float>(random.next() >> 11) * Float{0x1p-53} + 1;
    const Float b = static_cast<Float>(random.next() >> 11) * Float{0x1p-53} - 2;
    Float c = -(a * b);  // leaves exactly the product's rounding error
    if (i % 3 == 1) c = static_cast<Float>(i) * a;
    if (i % 3 == 2) c = a * Float{0x1p-40};
    rows.push_back({std::bit_cast<Bits>(a), std::bit_cast<Bits>(b),
                    std::bit_cast<Bits>(c), 0});
  }
}

/// Arguments over the whole range, for the approximate functions.
Rows function_arguments32() {
  Values values = kFloat32;
  FixedRandom random(13);
  for (int exponent = 1; exponent < 255; exponent += 6) {
    values.push_back((static_cast<std::uint64_t>(exponent) << 23) |
                     (random.next() & 0x007fffffu));
  }
  for (int i = 0; i < 48; ++i) {
    const float near_one = static_cast<float>(i - 24) * 0.37f + 0.01f;
    values.push_back(std::bit_cast<std::uint32_t>(near_one));
  }
  return unary(values);
}

Rows function_arguments64() {
  Values values = kFloat64;
  FixedRandom random(17);
  for (int exponent = 1; exponent < 2047; exponent += 40) {
    values.push_back((static_cast<std::uint64_t>(exponent) << 52) |
                     (random.next() & 0x000fffffffffffffu));
  }
  return unary(values);
}

/// The sine is bounded in [-pi, pi] only; zeros, infinities and NaNs come first.
Rows sine_arguments() {
  Values values = {0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc12345,
                   0x00000001, 0x807fffff, 0x3f800000, 0xc0490fdb, 0x3fc90fdb};
  for (int i = -40; i <= 40; ++i) {
    const float angle = static_cast<float>(i) * 0.0785f + 0.0003f;
    values.push_back(std::bit_cast<std::uint32_t>(angle));
  }
  return unary(values);
}

/// Pairs of moderate floats: the approximate division is specified for these.
Rows moderate_pairs() {
  Rows rows;
  FixedRandom random(19);
  for (int i = 0; i < 96; ++i) {
    const auto value = [&random](int range) {
      const std::uint64_t bits = random.next();
      const std::uint64_t exponent = 127 - range / 2 + (bits >> 40) % range;
      return (bits & 0x807fffffu) | (exponent << 23);
    };
    rows.push_back({value(100), value(100), 0, 0});
  }
  return rows;
}

Values field_positions() {
  return {0, 1, 4, 8, 16, 30, 31, 32, 33, 63, 64, 200, 255, 256};
}

std::map<std::string, Rows> make_tables() {
  std::map<std::string, Rows> tables;
  const std::uint64_t all = ~std::uint64_t{0};
  tables["int16"] =
      with_random(cross(kInt16, kInt16, kInt32, kInt32), 20, 0xffff, 1);
  tables["int16_unary"] = with_random(unary(kInt16), 20, 0xffff, 23);
  tables["int32"] =
      with_random(cross(kInt32, kInt32, kInt32, kInt32), 24, 0xffffffff, 1);
  tables["int64"] = with_random(cross(kInt64, kInt64, kInt64, kInt64), 24, all, 1);
  tables["divide16"] = divisions(kInt16, 0xffff);
  tables["divide32"] = divisions(kInt32, 0xffffffff);
  tables["divide64"] = divisions(kInt64, all);
  tables["bits32"] = bit_patterns(32);
  tables["bits64"] = bit_patterns(64);
  tables["shift"] = cross(kInt64, kShifts, kShifts, kInt32);
  tables["field"] = cross(kInt64, field_positions(), field_positions(), kInt64);
  // bfi takes two values, then position and length.
  tables["insert"] = cross({0, 0xffffffffffffffff, 0x123456789abcdef0}, kInt64,
                           field_positions(), {0, 1, 7, 8, 31, 32, 33, 64, 255});
  tables["float32"] =
      with_random(cross(kFloat32, kFloat32, kFloat32, kInt32), 24, 0xffffffff, 2);
  add_fused<float, std::uint32_t>(tables["float32"]);
  tables["float64"] =
      with_random(cross(kFloat64, kFloat64, kFloat64, kInt32), 24, all, 2);
  add_fused<double, std::uint64_t>(tables["float64"]);
  tables["float32_unary"] = unary(float32_conversions());
  tables["float64_unary"] = unary(float64_conversions());
  tables["function32"] = function_arguments32();
  tables["function64"] = function_arguments64();
  tables["sine_arguments"] = sine_arguments();
  tables["moderate_pairs"] = moderate_pairs();
  tables["half"] = unary(halves());
  tables["half_pairs"] =
      cross({0x0000, 0x8000, 0x3c00, 0x0001, 0x7bff, 0xfc00, 0x7e01},
            {0x0000, 0x8000, 0xbc00, 0x83ff, 0x7c00, 0x7e00}, kInt16, kInt16);
  return tables;
}

const std::map<std::string, Rows>& tables() {
  static const std::map<std::string, Rows> all = make_tables();
  return all;
}

}  // namespace

const std::vector<Operands>& operand_table(const std::string& name) {
  return tables().at(name);
}

std::vector<std::string> operand_table_names() {
  std::vector<std::string> names;
  for (const auto& [name, rows] : tables()) names.push_back(name);
  return names;
}

}  // namespace instructions
