#pragma once

#include <cupti.h>

#include <string>

namespace rungs {

/// The functions of libcupti.so.13 that kernel times need.
struct CuptiLibrary {
  decltype(&cuptiGetVersion) get_version = nullptr;
  decltype(&cuptiGetResultString) get_result_string = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) register_callbacks = nullptr;
  decltype(&cuptiActivityEnable) enable = nullptr;
  decltype(&cuptiActivityDisable) disable = nullptr;
  decltype(&cuptiActivityFlushAll) flush_all = nullptr;
  decltype(&cuptiActivityGetNextRecord) get_next_record = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) get_num_dropped_records = nullptr;

  std::string version = {};  ///< "13.0"
  std::string missing =
      {};  ///< why there is none, in one sentence; then all are null
};

/// The library, loaded at the first call and never unloaded.
const CuptiLibrary& cupti_library();

}  // namespace rungs
