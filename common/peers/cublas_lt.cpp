#include <algorithm>
#include <limits>
#include <stdexcept>
#include <vector>

#include "peers/cublas.hpp"
#include "peers/timing_stream.hpp"

namespace rungs::cublas {
namespace {

constexpr int most_algorithms = 8;
constexpr int warm_up = 3;
constexpr int launches = 20;
constexpr int rounds = 3;  // the best of these: what disturbs only makes slower

/// One attribute of an algorithm as text; "?" if this cuBLAS does not say.
std::string attribute(const LtAlgorithm& algorithm, AlgorithmAttribute which) {
  // All that are asked for here have 32 bits and small values.
  std::int32_t value = 0;
  std::size_t written = 0;
  const Status status = Library::instance().lt().MatmulAlgoConfigGetAttribute(
      &algorithm, which, &value, sizeof(value), &written);
  return status == success && written == sizeof(value) ? std::to_string(value)
                                                       : "?";
}

std::string describe(const LtHeuristic& chosen, std::size_t place, std::size_t of) {
  const LtAlgorithm& algorithm = chosen.algorithm;
  const auto mebibytes = (chosen.workspace_bytes + (1 << 20) - 1) >> 20;
  return "algorithm " + std::to_string(place) + " of " + std::to_string(of) +
         " (id " + attribute(algorithm, algorithm_id) + ", tile " +
         attribute(algorithm, algorithm_tile) + ", stages " +
         attribute(algorithm, algorithm_stages) + ", split-K " +
         attribute(algorithm, algorithm_split_k) + "), workspace " +
         std::to_string(mebibytes) + " MiB";
}

/// The algorithms that the heuristic proposes, best guess first.
std::vector<LtHeuristic> proposals(LtHandle handle, LtProduct product, LtLayout b,
                                   LtLayout a, LtLayout c) {
  const Library& library = Library::instance();
  const LtFunctions& lt = library.lt();
  LtPreference preference = nullptr;
  library.require(lt.MatmulPreferenceCreate(&preference),
                  "cublasLtMatmulPreferenceCreate");
  std::vector<LtHeuristic> results(most_algorithms);
  int found = 0;
  Status status = lt.MatmulPreferenceSetAttribute(
      preference, max_workspace_bytes, &workspace_bytes, sizeof(workspace_bytes));
  if (status == success) {
    status = lt.MatmulAlgoGetHeuristic(handle, product, b, a, c, c, preference,
                                       most_algorithms, results.data(), &found);
  }
  lt.MatmulPreferenceDestroy(preference);
  library.require(status, "cublasLtMatmulAlgoGetHeuristic");
  results.resize(static_cast<std::size_t>(std::clamp(found, 0, most_algorithms)));
  std::erase_if(results,
                [](const LtHeuristic& one) { return one.state != success; });
  return results;
}

}  // namespace

std::string LtBest::prepare(const Product& product) {
  const std::tuple shape{product.M, product.N, product.K};
  const auto known = plans_.find(shape);
  if (known != plans_.end()) return known->second.note;
  Plan plan = make_plan(product);
  choose(plan, product);
  return plans_.emplace(shape, plan).first->second.note;
}

LtBest::Plan LtBest::make_plan(const Product& product) {
  const Library& library = Library::instance();
  const LtFunctions& lt = library.lt();
  if (handle_ == nullptr) library.require(lt.Create(&handle_), "cublasLtCreate");

  const auto layout = [&](int rows, int cols) {
    LtLayout made = nullptr;
    library.require(
        lt.MatrixLayoutCreate(&made, CUDA_R_32F, static_cast<std::uint64_t>(rows),
                              static_cast<std::uint64_t>(cols), rows),
        "cublasLtMatrixLayoutCreate");
    return made;
  };
  // C^T = B^T A^T, as in Sgemm.
  Plan plan;
  library.require(
      lt.MatmulDescCreate(&plan.product, compute_32f_pedantic, CUDA_R_32F),
      "cublasLtMatmulDescCreate");
  plan.b = layout(product.N, product.K);
  plan.a = layout(product.K, product.M);
  plan.c = layout(product.N, product.M);
  return plan;
}

void LtBest::choose(Plan& plan, const Product& product) {
  const std::vector<LtHeuristic> results =
      proposals(handle_, plan.product, plan.b, plan.a, plan.c);
  TimingStream stream;
  double best = std::numeric_limits<double>::infinity();
  std::size_t place = 0;
  std::string refusal;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const auto launch = [&] { run(plan, results[i], product, stream.get()); };
    try {
      stream.time(warm_up, launch);
      for (int round = 0; round < rounds; ++round) {
        const double time = stream.time(launches, launch);
        if (place == 0 || time < best) {
          best = time;
          place = i + 1;
        }
      }
    } catch (const std::runtime_error& error) {
      // A proposal that does not run is none. A lost device fails them all.
      refusal = error.what();
    }
  }
  if (place == 0) {
    throw std::runtime_error(refusal.empty()
                                 ? "cublasLt proposes no algorithm for this shape"
                                 : "no algorithm of cublasLt runs: " + refusal);
  }
  plan.chosen = results[place - 1];
  plan.note = describe(plan.chosen, place, results.size());
}

void LtBest::launch(const Product& product, cudaStream_t stream) {
  const auto known = plans_.find({product.M, product.N, product.K});
  if (known == plans_.end()) {
    throw std::logic_error("cublasLt was not prepared for this shape");
  }
  run(known->second, known->second.chosen, product, stream);
}

void LtBest::run(const Plan& plan, const LtHeuristic& with, const Product& product,
                 cudaStream_t stream) {
  const Library& library = Library::instance();
  const float one = 1;
  const float zero = 0;
  library.require(
      library.lt().Matmul(handle_, plan.product, &one, product.b, plan.b, product.a,
                          plan.a, &zero, product.c, plan.c, product.c, plan.c,
                          &with.algorithm, workspace(), workspace_bytes, stream),
      "cublasLtMatmul");
}

}  // namespace rungs::cublas
