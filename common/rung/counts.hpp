#pragma once

#include <string>

#include "measure/json.hpp"
#include "rung/key.hpp"

namespace rungs {

/// The figures of a counts document ("rungs-cpu-counts/1"), summed over its
/// kernels, and the kernels themselves.
Json ptx_counts(const std::string& counts_document);

/// What the disassembler counted in a rung's machine code, beside the program.
struct MachineCode {
  Json source_hash = nullptr;
  Json compiler = nullptr;
  Json counts = nullptr;
  /// Why the counts are null, in one sentence: no disassembler, or no such file,
  /// and then the other two are null as well. Empty if there are counts.
  std::string missing = {};
};

/// Reads machine-code/LADDER/RUNG.json ("rungs-machine-code/1") in the folder of
/// programs.
MachineCode read_machine_code(const std::string& program_folder, const Key& key);

}  // namespace rungs
