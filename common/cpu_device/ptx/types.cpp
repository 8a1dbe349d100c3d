#include <array>
#include <utility>

#include "cpu_device/ptx/ast.hpp"

namespace rungs::cpu_device::ptx {
namespace {

struct TypeFacts {
  std::string_view name;
  Type type;
  uint32_t bytes;
};

constexpr std::array<TypeFacts, 22> types = {{
    {"pred", Type::pred, 0},   {"b8", Type::b8, 1},     {"b16", Type::b16, 2},
    {"b32", Type::b32, 4},     {"b64", Type::b64, 8},   {"b128", Type::b128, 16},
    {"u8", Type::u8, 1},       {"u16", Type::u16, 2},   {"u32", Type::u32, 4},
    {"u64", Type::u64, 8},     {"s8", Type::s8, 1},     {"s16", Type::s16, 2},
    {"s32", Type::s32, 4},     {"s64", Type::s64, 8},   {"f16", Type::f16, 2},
    {"f16x2", Type::f16x2, 4}, {"bf16", Type::bf16, 2}, {"bf16x2", Type::bf16x2, 4},
    {"tf32", Type::tf32, 4},   {"f32", Type::f32, 4},   {"f32x2", Type::f32x2, 8},
    {"f64", Type::f64, 8},
}};

}  // namespace

uint32_t bytes_of(Type type) {
  for (const TypeFacts& facts : types) {
    if (facts.type == type) return facts.bytes;
  }
  return 0;
}

Type type_named(std::string_view word) {
  for (const TypeFacts& facts : types) {
    if (facts.name == word) return facts.type;
  }
  return Type::none;
}

bool is_float(Type type) { return type >= Type::f16; }

bool is_signed(Type type) { return type >= Type::s8 && type <= Type::s64; }

}  // namespace rungs::cpu_device::ptx
