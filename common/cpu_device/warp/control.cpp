/// \file
/// Branches, ends, barriers, fences (PTX ISA, "Control Flow Instructions" and
/// "Parallel Synchronization and Communication Instructions"). What ends a basic
/// block has no handler: the warp's scheduler does it.
#include "cpu_device/warp/control.hpp"

#include "cpu_device/warp/lanewise.hpp"

namespace rungs::cpu_device {
namespace {

using ptx::Type;

void nothing(Warp&, const Instruction&, uint32_t) {}

void no_operation(Builder& b, InstructionClass instruction_class) {
  Instruction in = b.make();
  bind_handler(in, &nothing);
  b.append(in, instruction_class);
}

// bar and barrier: .sync a{, b}; .arrive a, b; .red.op d, a{, b}, {!}p.
void barrier(Builder& b) {
  b.take("cta");
  b.take("aligned");
  Instruction in = b.make();
  if (in.guard != absent) b.unsupported("a barrier under a predicate");
  BarrierKind kind = BarrierKind::sync;
  size_t next = 0;
  if (b.take("arrive")) {
    kind = BarrierKind::arrive;
  } else if (b.take("red")) {
    if (b.take("popc"))
      kind = BarrierKind::count;
    else if (b.take("and"))
      kind = BarrierKind::all;
    else if (b.take("or"))
      kind = BarrierKind::any;
    b.write(in, in.d, b.operand(next++),
            kind == BarrierKind::count ? Type::u32 : Type::pred);
    b.take("u32");
    b.take("pred");
  } else if (!b.take("sync")) {
    b.unsupported();
  }
  const bool reduces = kind != BarrierKind::sync && kind != BarrierKind::arrive;
  const size_t last = b.operands().size() - (reduces ? 1 : 0);
  b.read(in, in.a, b.operand(next++), Type::u32);
  if (next < last) b.read(in, in.b, b.operand(next++), Type::u32);
  in.detail = static_cast<uint16_t>(kind);
  if (reduces) {
    b.read(in, in.c, b.operand(next), Type::pred);
    if (b.operand(next).negated) in.detail |= barrier_negated;
  }
  bind_handler(in, &nothing);
  b.end_block(finish(b, in, InstructionClass::barrier, Origin::Tally::barrier),
              Exit::barrier);
}

}  // namespace

bool decode_control(Builder& b) {
  const std::string_view op = b.opcode();
  if (op == "bra") {
    b.take("uni");
    Instruction in = b.make();
    bind_handler(in, &nothing);
    const uint32_t label = b.context().label(b.operand(0).index);
    b.end_block(finish(b, in, InstructionClass::control), Exit::branch, label);
  } else if (op == "brx") {
    b.take("uni");
    if (!b.take("idx")) b.unsupported();
    Instruction in = b.make();
    if (in.guard != absent) b.unsupported();
    b.read(in, in.a, b.operand(0), Type::u32);
    bind_handler(in, &nothing);
    const uint32_t table = b.context().table(b.operand(1).index);
    b.end_block(finish(b, in, InstructionClass::control), Exit::table, table);
  } else if (op == "exit" || op == "ret") {
    b.take("uni");
    Instruction in = b.make();
    bind_handler(in, &nothing);
    b.end_block(finish(b, in, InstructionClass::control), Exit::leave);
  } else if (op == "trap" || op == "brkpt") {
    Instruction in = b.make();
    bind_handler(in, [](Warp& warp, const Instruction& i, uint32_t mask) {
      warp.block->fault(FaultKind::trap, warp, i,
                        static_cast<uint32_t>(__builtin_ctz(mask)),
                        "executes a trap");
    });
    finish(b, in, InstructionClass::control);
  } else if (op == "bar" || op == "barrier") {
    barrier(b);
  } else if (op == "membar" || op == "fence" || op == "nanosleep" ||
             op == "griddepcontrol" || op == "pmevent") {
    // Blocks of one host thread run one after another, and host atomics order the
    // rest.
    no_operation(b, InstructionClass::other);
  } else {
    return false;
  }
  return true;
}

}  // namespace rungs::cpu_device
