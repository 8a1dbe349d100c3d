#include "rung/counts.hpp"

#include <fstream>

namespace rungs {
namespace {

using Path = Json::json_pointer;

Json sum(const Json& kernels, const char* path) {
  std::uint64_t total = 0;
  for (const Json& kernel : kernels)
    total += kernel.at(Path(path)).get<std::uint64_t>();
  return total;
}

/// part / whole; null where there is no whole.
Json ratio(const Json& part, const Json& whole) {
  if (whole == 0) return nullptr;
  return part.get<double>() / whole.get<double>();
}

Json largest(const Json& kernels, const char* path) {
  Json most = 0;
  for (const Json& kernel : kernels) most = std::max(most, kernel.at(Path(path)));
  return most;
}

}  // namespace

Json ptx_counts(const std::string& counts_document) {
  Json kernels = Json::parse(counts_document).at("kernels");

  const Json multiply_adds = sum(kernels, "/multiply_adds");
  const Json load_wavefronts = sum(kernels, "/shared/load/wavefronts");
  const Json store_wavefronts = sum(kernels, "/shared/store/wavefronts");
  const Json wavefronts =
      load_wavefronts.get<std::uint64_t>() + store_wavefronts.get<std::uint64_t>();
  return {
      {"shared_reads_per_multiply_add",
       ratio(sum(kernels, "/shared/load/thread_instructions"), multiply_adds)},
      {"multiply_adds", multiply_adds},
      {"shared_load_wavefronts", load_wavefronts},
      {"shared_store_wavefronts", store_wavefronts},
      {"shared_wavefronts_per_multiply_add", ratio(wavefronts, multiply_adds)},
      {"shared_load_bank_conflicts", sum(kernels, "/shared/load/bank_conflicts")},
      {"shared_store_bank_conflicts", sum(kernels, "/shared/store/bank_conflicts")},
      {"shared_load_instructions", sum(kernels, "/shared/load/instructions")},
      {"global_load_sectors", sum(kernels, "/global/load/sectors")},
      {"global_store_sectors", sum(kernels, "/global/store/sectors")},
      {"barriers", sum(kernels, "/barriers")},
      {"warp_instructions", sum(kernels, "/warp_instructions/total")},
      {"kernels", std::move(kernels)},
  };
}

MachineCode read_machine_code(const std::string& program_folder, const Key& key) {
  const std::string path = program_folder + "/machine-code/" + key.text() + ".json";
  MachineCode result;
  std::ifstream file(path);
  if (!file) {
    result.missing = "there is no " + path + ", which the build writes";
    return result;
  }
  try {
    const Json document = Json::parse(file);
    const Json& kernels = document.at("kernels");
    Json counts = {
        {"shared_reads_per_multiply_add",
         document.at("shared_reads_per_multiply_add")},
        {"registers", largest(kernels, "/registers")},
        {"shared_bytes", largest(kernels, "/shared_bytes")},
        {"spill_bytes", largest(kernels, "/spill_bytes")},
        {"bytes_in_flight", largest(kernels, "/bytes_in_flight")},
        {"kernels", kernels},
    };
    result.source_hash = document.at("source_hash");
    result.compiler = document.at("compiler");
    result.missing = document.value("missing", "");
    if (result.missing.empty()) result.counts = std::move(counts);
  } catch (const Json::exception& error) {
    result.missing = path + " is not what the build writes: " + error.what();
  }
  return result;
}

}  // namespace rungs
