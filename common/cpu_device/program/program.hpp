/// \file
/// A kernel as the warps run it: small fixed-size instructions in basic blocks,
/// operands as offsets into the warp's frame.
///
/// A frame holds, for one warp: the predicates (one 32-bit lane mask each), the
/// registers (lane-major, 32 lanes of 4 or 8 bytes; narrower registers take 4-byte
/// lanes), the kernel's constants splatted over 32 lanes, and the special registers
/// that the kernel reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cpu_device/counters/counters.hpp"
#include "cpu_device/fault.hpp"

namespace rungs::cpu_device {

struct Warp;
struct Instruction;

/// Executes one instruction for the lanes in the mask. `full` handlers are called
/// only when all 32 lanes are in it.
using Handler = void (*)(Warp& warp, const Instruction& instruction, uint32_t mask);

constexpr uint32_t lanes = 32;
constexpr uint32_t all_lanes = 0xFFFFFFFF;
constexpr uint32_t absent = 0xFFFFFFFF;

struct Instruction {
  Handler full = nullptr, partial = nullptr;
  /// Frame offsets of the operands; which are written and which are read is the
  /// handler's.
  uint32_t d = absent, a = absent, b = absent, c = absent, e = absent, f = absent;
  int64_t immediate = 0;    ///< address offset, or what the handler makes of it
  uint32_t guard = absent;  ///< frame offset of the guard's predicate
  uint32_t memory =
      absent;           ///< index of its access statistics, for memory instructions
  uint16_t detail = 0;  ///< small numbers for the handler
  bool guard_negated = false;
};

/// What counting and messages need to know of an instruction; same index as the
/// instruction.
struct Origin {
  InstructionClass instruction_class = InstructionClass::other;
  enum class Tally : uint8_t {
    none,
    multiply_add,
    multiply_add_f64,
    shuffle,
    vote,
    barrier
  };
  Tally tally = Tally::none;
  bool counted = true;  ///< false for moves that decoding added
  SourceLine source;
  uint32_t ptx_line = 0;
  std::string_view text;  ///< of the PTX; lives as long as the module
};

/// How a basic block ends. All but `next` are instructions of their own: the
/// block's last.
enum class Exit : uint8_t {
  next,     ///< falls into the following block
  branch,   ///< to `target` where the guard holds, else falls through
  table,    ///< to tables[target][lane's value]
  leave,    ///< the thread ends where the guard holds
  barrier,  ///< bar.sync and its kind: the warp waits
};

struct Block {
  uint32_t first = 0, end = 0;  ///< instructions; a terminator is the last of them
  Exit exit = Exit::next;
  uint32_t target = 0;
  /// Frame offset of the member mask when the block begins with a warp-synchronous
  /// instruction: the lanes it names are waited for.
  uint32_t members = absent;
};

/// What a memory instruction is, for counting.
struct MemoryAccess {
  enum class Kind : uint8_t { load, store, atomic };
  Kind kind = Kind::load;
  uint32_t instruction = 0;
  uint8_t bytes = 0;  ///< a lane
};

struct FrameConstant {
  uint32_t offset;
  bool wide;  ///< 8-byte lanes
  uint64_t bits;
};

/// Special registers, by what has to be refreshed when.
enum class Special : uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_le,
  lanemask_lt,
  lanemask_ge,
  lanemask_gt,
  dynamic_smem_size,
  total_smem_size,
};

struct FrameSpecial {
  uint32_t offset;
  bool wide;
  Special special;
};

struct Program {
  std::string name;
  std::vector<Instruction> instructions;
  std::vector<Origin> origins;
  std::vector<Block> blocks;
  std::vector<std::vector<uint32_t>> tables;  ///< of `brx.idx`: block numbers
  std::vector<MemoryAccess> memory;
  std::vector<FrameConstant> constants;
  std::vector<FrameSpecial> specials;
  uint32_t frame_bytes = 0;
  uint32_t static_shared_bytes = 0;
  uint32_t local_bytes = 0;  ///< a thread
};

}  // namespace rungs::cpu_device
