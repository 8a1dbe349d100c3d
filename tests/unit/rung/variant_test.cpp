#include "rung/variant.hpp"

#include <gtest/gtest.h>

#include "rung/open_shape.hpp"
#include "rung/peer.hpp"
#include "toy_ladder.hpp"

namespace rungs {
namespace {

const Operation& operation() { return toy::problem().operation(); }

/// Registers a peer and two floors, once.
void link_peers() {
  [[maybe_unused]] static const Peer peer = toy::problem().peer(
      {.name = "library",
       .math = Math::tf32,
       .tolerance = [](const Shape&) -> Tolerance { return {.relative = 0.25}; },
       .missing = []() -> std::string { return "not installed"; },
       .prepare =
           [](const toy::Operands& operands, const Shape&) {
             return "of " + std::to_string(operands.rows) + " rows";
           },
       .launch = toy::launch});
  static const Operation another{.sizes = {"n"}};
  static const Peer elsewhere(another, {.name = "of another problem"});
  static const Floor second({.name = "floor-read", .launch = {}, .check = {}});
  static const Floor first(
      {.name = "floor-copy",
       .missing = [](const Operation& of) -> std::string {
         return of.outputs.size() == 1 ? "one output alone" : "";
       },
       .scratch_bytes =
           [](const Operation& of, const Shape& shape) {
             return of.inputs.size() * static_cast<std::size_t>(shape["rows"]);
           }});
  toy::first();
  toy::second();
}

const Variant& variant(const std::string& name) {
  static const std::vector<Variant> variants = [] {
    link_peers();
    return registered_variants(operation());
  }();
  for (const Variant& one : variants) {
    if (one.name == name) return one;
  }
  throw std::out_of_range(name);
}

TEST(Variants, AreRungsThenPeersThenFloors) {
  link_peers();
  std::vector<std::string> names;
  for (const Variant& one : registered_variants(operation())) {
    names.push_back(one.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"first", "second", "library",
                                             "floor-copy", "floor-read"}));
}

TEST(Variants, AreWhatTheRungSays) {
  EXPECT_EQ(variant("second").kind, Kind::rejected);
  EXPECT_EQ(variant("second").order, 1);
  EXPECT_EQ(variant("second").after, "first");
  EXPECT_EQ(variant("second").refuse(operation().shape({64, 13})),
            "second: cols = 13 is not a multiple of 6; the nearest good cols is 12 "
            "(or 18)");
  EXPECT_EQ(variant("second").refuse(operation().shape({64, 12})), "");
}

TEST(Variants, AreWhatThePeerSays) {
  EXPECT_EQ(variant("library").kind, Kind::peer);
  EXPECT_EQ(name(variant("library").math), "tf32");
  EXPECT_EQ(variant("library").missing(), "not installed");
  const Shape shape = operation().shape({64, 32});
  EXPECT_EQ(variant("library").tolerance(shape).relative, 0.25);
  EXPECT_EQ(variant("first").tolerance, nullptr);
}

TEST(Variants, OfAFloorKnowTheOperation) {
  EXPECT_EQ(variant("floor-copy").kind, Kind::floor);
  EXPECT_EQ(variant("floor-copy").missing(), "one output alone");
  EXPECT_EQ(variant("floor-copy").scratch_bytes(operation().shape({64, 32})), 64u);
  EXPECT_FALSE(variant("floor-read").missing);
}

TEST(Software, IsListedWhereItIs) {
  static const Software there("there", []() -> std::string { return "13.1.0"; });
  static const Software absent("absent", []() -> std::string { return ""; });
  const std::map<std::string, std::string> versions = registered_software();
  EXPECT_EQ(versions.at("there"), "13.1.0");
  EXPECT_FALSE(versions.contains("absent"));
}

TEST(ColdSets, AreFourTimesTheCacheAndAtLeastTwo) {
  EXPECT_EQ(cold_sets(12'582'912, 62'914'560), 20);
  EXPECT_EQ(cold_sets(12'582'911, 62'914'560), 21);
  EXPECT_EQ(cold_sets(std::int64_t{4} << 30, 62'914'560), 2);
}

TEST(Bytes, AreOfInputsAndOutputs) {
  const Shape shape = operation().shape({64, 32});
  EXPECT_EQ(input_bytes(operation(), shape), 64 * 32 * 4);
  EXPECT_EQ(output_bytes(operation(), shape), 4);
}

}  // namespace
}  // namespace rungs
