/// \file
/// One block: its warps in turn, its barriers, its special registers, its counts.
#include "cpu_device/warp/block_runner.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <map>

#include "cpu_device/warp/barriers.hpp"
#include "cpu_device/warp/scheduler.hpp"
#include "cpu_device/warp/warp.hpp"

namespace rungs::cpu_device {
namespace {

constexpr uint32_t multiprocessors = 132;  // an H200's

std::string demangled(const std::string& name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 ? text : name;
  std::free(text);
  return result;
}

std::string coordinates(uint64_t linear, const Dim3& size) {
  return "(" + std::to_string(linear % size.x) + "," +
         std::to_string(linear / size.x % size.y) + "," +
         std::to_string(linear / size.x / size.y) + ")";
}

bool is_of_block(Special special) {
  return special == Special::ctaid_x || special == Special::ctaid_y ||
         special == Special::ctaid_z || special == Special::smid;
}

void add_accesses(AccessCounts& counts, const AccessStatistics::Sums& sums,
                  uint32_t bytes) {
  counts.instructions += sums.instructions;
  counts.thread_instructions += sums.threads;
  counts.bytes += sums.threads * bytes;
  counts.by_width[static_cast<size_t>(std::countr_zero(bytes))] +=
      sums.instructions;
  counts.wavefronts += sums.wavefronts;
  counts.bank_conflicts += sums.conflicts;
  counts.sectors += sums.sectors;
}

}  // namespace

void BlockContext::fault(FaultKind kind, const Warp& warp, const Instruction& in,
                         uint32_t lane, const std::string& what) const {
  const Origin& origin = program->origins[warp.instruction_index(in)];
  const std::string where =
      origin.source.line != 0
          ? origin.source.file + ":" + std::to_string(origin.source.line)
          : "PTX line " + std::to_string(origin.ptx_line);
  throw Fault(kind, std::string(fault_name(kind)) + ": " +
                        demangled(program->name) + " " + what + " (" + where +
                        ", block " + coordinates(block_index, launch->grid) +
                        ", thread " +
                        coordinates(32 * warp.index + lane, launch->block) + ")");
}

struct BlockRunner::State {
  BlockContext context;
  SharedShadow shadow;
  std::vector<std::byte> frames;
  std::vector<Warp> warps;
  std::vector<FrameSpecial> block_specials;
  Scheduler scheduler;

  State(const Launch& launch, const GlobalMemory& memory);
  void set_fixed_specials(Warp& warp);
  void set_block_specials();
  uint64_t special(const Warp& warp, Special special, uint32_t lane) const;
  void begin(uint64_t block);
};

BlockRunner::State::State(const Launch& launch, const GlobalMemory& memory)
    : shadow(launch.checks), scheduler(context) {
  const Program& program = *launch.kernel->program;
  context.program = &program;
  context.launch = &launch;
  context.memory = &memory;
  context.shared.resize(program.static_shared_bytes + launch.dynamic_shared_bytes);
  context.accesses.resize(program.memory.size());
  context.guarded_lanes.resize(program.instructions.size());
  if (launch.checks.races || launch.checks.uninitialised) context.shadow = &shadow;
  const uint64_t threads = launch.block.count();
  const uint32_t count = static_cast<uint32_t>((threads + lanes - 1) / lanes);
  frames.resize(size_t{program.frame_bytes} * count + 64);
  warps.resize(count);
  std::byte* frame = frames.data();
  frame += (64 - reinterpret_cast<uintptr_t>(frame) % 64) % 64;
  for (uint32_t w = 0; w < count; ++w) {
    Warp& warp = warps[w];
    warp.block = &context;
    warp.index = w;
    const uint64_t rest = threads - 32 * uint64_t{w};
    warp.begun = rest >= lanes ? all_lanes : (1u << rest) - 1;
    warp.frame = frame + size_t{program.frame_bytes} * w;
    warp.local.resize(size_t{program.local_bytes} * lanes);
    for (const FrameConstant& constant : program.constants) {
      for (uint32_t i = 0; i < lanes; ++i) {
        if (constant.wide)
          warp.doubles(constant.offset)[i] = constant.bits;
        else
          warp.words(constant.offset)[i] = static_cast<uint32_t>(constant.bits);
      }
    }
    set_fixed_specials(warp);
  }
  for (const FrameSpecial& entry : program.specials) {
    if (is_of_block(entry.special)) block_specials.push_back(entry);
  }
  scheduler.prepare();
}

uint64_t BlockRunner::State::special(const Warp& warp, Special which,
                                     uint32_t lane) const {
  const Launch& launch = *context.launch;
  const uint64_t thread = 32 * uint64_t{warp.index} + lane;
  const uint64_t block = context.block_index;
  const uint64_t dynamic = launch.dynamic_shared_bytes;
  switch (which) {
    case Special::tid_x:
      return thread % launch.block.x;
    case Special::tid_y:
      return thread / launch.block.x % launch.block.y;
    case Special::tid_z:
      return thread / launch.block.x / launch.block.y;
    case Special::ntid_x:
      return launch.block.x;
    case Special::ntid_y:
      return launch.block.y;
    case Special::ntid_z:
      return launch.block.z;
    case Special::ctaid_x:
      return block % launch.grid.x;
    case Special::ctaid_y:
      return block / launch.grid.x % launch.grid.y;
    case Special::ctaid_z:
      return block / launch.grid.x / launch.grid.y;
    case Special::nctaid_x:
      return launch.grid.x;
    case Special::nctaid_y:
      return launch.grid.y;
    case Special::nctaid_z:
      return launch.grid.z;
    case Special::laneid:
      return lane;
    case Special::warpid:
      return warp.index;
    case Special::nwarpid:
      return warps.size();
    case Special::smid:
      return block % multiprocessors;
    case Special::nsmid:
      return multiprocessors;
    case Special::gridid:
      return 1;
    case Special::lanemask_eq:
      return 1u << lane;
    case Special::lanemask_le:
      return (2ull << lane) - 1;
    case Special::lanemask_lt:
      return (1u << lane) - 1;
    case Special::lanemask_ge:
      return ~((1u << lane) - 1);
    case Special::lanemask_gt:
      return ~((2ull << lane) - 1);
    case Special::dynamic_smem_size:
      return dynamic;
    case Special::total_smem_size:
      return context.program->static_shared_bytes + dynamic;
  }
  return 0;
}

// What stays the same from block to block.
void BlockRunner::State::set_fixed_specials(Warp& warp) {
  for (const FrameSpecial& entry : context.program->specials) {
    for (uint32_t i = 0; i < lanes; ++i) {
      const uint64_t value = special(warp, entry.special, i);
      if (entry.wide)
        warp.doubles(entry.offset)[i] = value;
      else
        warp.words(entry.offset)[i] = static_cast<uint32_t>(value);
    }
  }
}

// The block's and the multiprocessor's numbers, one for all lanes.
void BlockRunner::State::set_block_specials() {
  for (const FrameSpecial& entry : block_specials) {
    const uint64_t value = special(warps.front(), entry.special, 0);
    for (Warp& warp : warps) {
      if (entry.wide)
        std::fill_n(warp.doubles(entry.offset), lanes, value);
      else
        std::fill_n(warp.words(entry.offset), lanes, static_cast<uint32_t>(value));
    }
  }
}

void BlockRunner::State::begin(uint64_t block) {
  context.block_index = block;
  // What a kernel finds in memory it has not written is a NaN, whatever the type.
  std::fill(context.shared.begin(), context.shared.end(), std::byte{0xFF});
  if (context.shadow) {
    shadow.begin(static_cast<uint32_t>(context.shared.size()),
                 static_cast<uint32_t>(warps.size()));
  }
  for (Warp& warp : warps) {
    warp.live = warp.begun;
    warp.current = {0, warp.live, false};
    warp.others.clear();
    warp.copies.clear();
    warp.copy_group.fill(0);
    std::fill(warp.local.begin(), warp.local.end(), std::byte{0xFF});
  }
  set_block_specials();
}

BlockRunner::BlockRunner(const Launch& launch, const GlobalMemory& memory)
    : state_(std::make_unique<State>(launch, memory)) {}

BlockRunner::~BlockRunner() = default;

void BlockRunner::run(uint64_t block) {
  state_->begin(block);
  state_->scheduler.run(state_->warps);
}

KernelCounts BlockRunner::counts() const {
  const BlockContext& context = state_->context;
  const Program& program = *context.program;
  std::map<std::pair<std::string, uint32_t>, Counts> lines;
  for (size_t block = 0; block < program.blocks.size(); ++block) {
    const BlockTimes times = state_->scheduler.times(block);
    if (times.warps == 0) continue;
    for (uint32_t i = program.blocks[block].first; i < program.blocks[block].end;
         ++i) {
      const Origin& origin = program.origins[i];
      if (!origin.counted) continue;
      // A guard says which lanes execute, but of a branch only where each goes.
      const bool guarded = program.instructions[i].guard != absent &&
                           origin.instruction_class != InstructionClass::control;
      const uint64_t threads = guarded ? context.guarded_lanes[i] : times.lanes;
      Counts& counts = lines[{origin.source.file, origin.source.line}];
      counts.warp_instructions += times.warps;
      counts.thread_instructions += threads;
      counts.by_class[static_cast<size_t>(origin.instruction_class)] += times.warps;
      switch (origin.tally) {
        case Origin::Tally::none:
          break;
        case Origin::Tally::multiply_add:
          counts.multiply_adds += threads;
          break;
        case Origin::Tally::multiply_add_f64:
          counts.multiply_adds_f64 += threads;
          break;
        case Origin::Tally::shuffle:
          counts.shuffles += times.warps;
          break;
        case Origin::Tally::vote:
          counts.votes += times.warps;
          break;
        case Origin::Tally::barrier:
          counts.barriers += times.warps;
          break;
      }
    }
  }
  for (size_t m = 0; m < program.memory.size(); ++m) {
    const MemoryAccess& access = program.memory[m];
    const AccessStatistics& statistics = context.accesses[m];
    const Origin& origin = program.origins[access.instruction];
    Counts& counts = lines[{origin.source.file, origin.source.line}];
    switch (access.kind) {
      case MemoryAccess::Kind::load:
        add_accesses(counts.shared_load, statistics.shared, access.bytes);
        add_accesses(counts.global_load, statistics.global, access.bytes);
        add_accesses(counts.local_load, statistics.local, access.bytes);
        break;
      case MemoryAccess::Kind::store:
        add_accesses(counts.shared_store, statistics.shared, access.bytes);
        add_accesses(counts.global_store, statistics.global, access.bytes);
        add_accesses(counts.local_store, statistics.local, access.bytes);
        break;
      case MemoryAccess::Kind::atomic:
        counts.shared_atomics += statistics.shared.instructions;
        counts.global_atomics += statistics.global.instructions;
        break;
    }
  }
  KernelCounts result;
  for (auto& [where, counts] : lines) {
    result.total.add(counts);
    result.lines.push_back({{where.first, where.second}, counts});
  }
  return result;
}

}  // namespace rungs::cpu_device
