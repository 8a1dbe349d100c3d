#include "measure/resources.hpp"

#include <cuda.h>
#include <dlfcn.h>

#include <optional>
#include <vector>

#include "measure/graph.hpp"
#include "measure/kernel_name.hpp"

namespace rungs {
namespace {

struct Kernel {
  std::string name;
  int registers = 0;
  int static_shared_bytes = 0;
  int dynamic_shared_bytes = 0;
  int local_bytes = 0;
  int block_threads = 0;
  std::int64_t blocks = 0;
  int blocks_per_multiprocessor = 0;
};

/// A kernel of this program, which the runtime knows.
std::optional<Kernel> by_runtime(cudaGraphNode_t node) {
  cudaKernelNodeParams launch{};
  cudaFuncAttributes attributes{};
  const char* name = nullptr;
  if (cudaGraphKernelNodeGetParams(node, &launch) != cudaSuccess ||
      cudaFuncGetAttributes(&attributes, launch.func) != cudaSuccess ||
      cudaFuncGetName(&name, launch.func) != cudaSuccess) {
    return std::nullopt;
  }
  Kernel kernel{.name = kernel_name(name),
                .registers = attributes.numRegs,
                .static_shared_bytes = static_cast<int>(attributes.sharedSizeBytes),
                .dynamic_shared_bytes = static_cast<int>(launch.sharedMemBytes),
                .local_bytes = static_cast<int>(attributes.localSizeBytes),
                .block_threads = static_cast<int>(
                    launch.blockDim.x * launch.blockDim.y * launch.blockDim.z),
                .blocks = std::int64_t{launch.gridDim.x} * launch.gridDim.y *
                          launch.gridDim.z};
  if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(
          &kernel.blocks_per_multiprocessor, launch.func, kernel.block_threads,
          launch.sharedMemBytes) != cudaSuccess) {
    return std::nullopt;
  }
  return kernel;
}

/// The driver's function of this name, or null. The runtime has loaded the driver.
template <class Function>
Function* find(const char* name) {
  static void* const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  return driver == nullptr ? nullptr
                           : reinterpret_cast<Function*>(dlsym(driver, name));
}

// cuda.h renames functions to their newest version by macros, so the name is taken
// after they are replaced.
#define RUNGS_NAME(function) #function
#define RUNGS_FIND(function) find<decltype(function)>(RUNGS_NAME(function))

/// A library's kernel, which only the driver knows.
std::optional<Kernel> by_driver(cudaGraphNode_t node) {
  auto* const get_params = RUNGS_FIND(cuGraphKernelNodeGetParams);
  auto* const get_function = RUNGS_FIND(cuKernelGetFunction);
  auto* const get_attribute = RUNGS_FIND(cuFuncGetAttribute);
  auto* const get_name = RUNGS_FIND(cuFuncGetName);
  auto* const get_occupancy =
      RUNGS_FIND(cuOccupancyMaxActiveBlocksPerMultiprocessor);
  if (get_params == nullptr || get_function == nullptr ||
      get_attribute == nullptr || get_name == nullptr || get_occupancy == nullptr) {
    return std::nullopt;
  }
  CUDA_KERNEL_NODE_PARAMS launch{};
  if (get_params(node, &launch) != CUDA_SUCCESS) return std::nullopt;
  CUfunction function = launch.func;
  if (function == nullptr && get_function(&function, launch.kern) != CUDA_SUCCESS) {
    return std::nullopt;
  }
  bool good = true;
  const auto attribute = [&](CUfunction_attribute which) {
    int value = 0;
    good = good && get_attribute(&value, which, function) == CUDA_SUCCESS;
    return value;
  };
  const char* name = nullptr;
  good = get_name(&name, function) == CUDA_SUCCESS;
  Kernel kernel{
      .name = kernel_name(name),
      .registers = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS),
      .static_shared_bytes = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES),
      .dynamic_shared_bytes = static_cast<int>(launch.sharedMemBytes),
      .local_bytes = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES),
      .block_threads =
          static_cast<int>(launch.blockDimX * launch.blockDimY * launch.blockDimZ),
      .blocks = std::int64_t{launch.gridDimX} * launch.gridDimY * launch.gridDimZ};
  good = good &&
         get_occupancy(&kernel.blocks_per_multiprocessor, function,
                       kernel.block_threads, launch.sharedMemBytes) == CUDA_SUCCESS;
  if (!good) return std::nullopt;
  return kernel;
}

std::vector<cudaGraphNode_t> kernel_nodes(cudaGraph_t graph) {
  std::size_t count = 0;
  require(cudaGraphGetNodes(graph, nullptr, &count), "cudaGraphGetNodes");
  std::vector<cudaGraphNode_t> nodes(count);
  if (count != 0) {
    require(cudaGraphGetNodes(graph, nodes.data(), &count), "cudaGraphGetNodes");
  }
  std::vector<cudaGraphNode_t> kernels;
  for (const cudaGraphNode_t node : nodes) {
    cudaGraphNodeType type{};
    require(cudaGraphNodeGetType(node, &type), "cudaGraphNodeGetType");
    if (type == cudaGraphNodeTypeKernel) kernels.push_back(node);
  }
  return kernels;
}

}  // namespace

Json resources(Launches& launches) {
  const Graph graph(launches, 1);
  Json kernels = Json::array();
  for (const cudaGraphNode_t node : kernel_nodes(graph.get())) {
    std::optional<Kernel> kernel = by_runtime(node);
    if (!kernel) {
      static_cast<void>(cudaGetLastError());
      kernel = by_driver(node);
    }
    if (!kernel) {
      return {
          {"missing", "neither the runtime nor the driver describes its kernel"}};
    }
    kernels.push_back({
        {"name", kernel->name},
        {"registers", kernel->registers},
        {"static_shared_bytes", kernel->static_shared_bytes},
        {"dynamic_shared_bytes", kernel->dynamic_shared_bytes},
        {"local_bytes", kernel->local_bytes},
        {"block_threads", kernel->block_threads},
        {"blocks", kernel->blocks},
        {"blocks_per_multiprocessor", kernel->blocks_per_multiprocessor},
    });
  }
  if (kernels.empty()) return {{"missing", "its launch has no kernel"}};
  return {{"kernels", std::move(kernels)}};
}

}  // namespace rungs
