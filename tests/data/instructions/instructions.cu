/// \file
/// Runs every form and writes its raw result words, on a GPU or on the CPU device.
///
/// The program judges nothing: the words that an H200 wrote are kept in
/// tests/data/h200, and tests/truth holds the CPU device's words against them.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>

#include "form.cuh"

namespace instructions {

std::vector<Form>& forms() {
  // Forms are added before main() starts, in no fixed order of files.
  static std::vector<Form> all;
  return all;
}

bool add_form(Form form) {
  forms().push_back(std::move(form));
  return true;
}

namespace {

constexpr int kBlock = 128;
constexpr unsigned kPoison = 0xcccccccc;

/// A form that the CPU device lacks: it has said so on stderr.
struct Unsupported {};

void check(cudaError_t status, const std::string& what) {
  if (status == cudaSuccess) return;
  if (status == cudaErrorNotSupported) throw Unsupported{};
  std::fprintf(stderr, "%s: %s\n", what.c_str(), cudaGetErrorString(status));
  std::exit(1);
}

/// Device memory of a fixed number of bytes.
class DeviceBytes {
 public:
  explicit DeviceBytes(std::size_t bytes) {
    check(cudaMalloc(&pointer_, bytes),
          "allocating " + std::to_string(bytes) + " bytes");
  }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  ~DeviceBytes() { cudaFree(pointer_); }
  void* get() const { return pointer_; }

 private:
  void* pointer_ = nullptr;
};

/// What launch forms read: any bits, no two words alike.
std::vector<unsigned> launch_input() {
  std::vector<unsigned> words(kInputBytes / 4);
  unsigned state = 12345;
  for (unsigned& word : words) {
    state = state * 1664525u + 1013904223u;
    word = state ^ (state >> 13);
  }
  return words;
}

std::vector<unsigned> run_value_form(const Form& form) {
  const std::vector<Operands>& rows = operand_table(form.table);
  std::vector<unsigned> words(rows.size() * form.words, kPoison);
  const DeviceBytes in(rows.size() * sizeof(Operands));
  const DeviceBytes out(words.size() * 4);
  check(cudaMemcpy(in.get(), rows.data(), rows.size() * sizeof(Operands),
                   cudaMemcpyHostToDevice),
        form.name);
  check(
      cudaMemcpy(out.get(), words.data(), words.size() * 4, cudaMemcpyHostToDevice),
      form.name);
  void* in_pointer = in.get();
  void* out_pointer = out.get();
  int count = static_cast<int>(rows.size());
  void* arguments[] = {&in_pointer, &out_pointer, &count};
  check(cudaLaunchKernel(form.kernel, dim3((count + kBlock - 1) / kBlock),
                         dim3(kBlock), arguments, 0, nullptr),
        form.name);
  check(cudaDeviceSynchronize(), form.name);
  check(
      cudaMemcpy(words.data(), out.get(), words.size() * 4, cudaMemcpyDeviceToHost),
      form.name);
  return words;
}

std::vector<unsigned> run_launch_form(const Form& form) {
  const std::vector<unsigned> input = launch_input();
  std::vector<unsigned> words(form.words, kPoison);
  const DeviceBytes in(kInputBytes);
  const DeviceBytes out(words.size() * 4);
  check(cudaMemcpy(in.get(), input.data(), kInputBytes, cudaMemcpyHostToDevice),
        form.name);
  check(
      cudaMemcpy(out.get(), words.data(), words.size() * 4, cudaMemcpyHostToDevice),
      form.name);
  void* in_pointer = in.get();
  void* out_pointer = out.get();
  Parameters parameters;
  void* arguments[] = {&in_pointer, &out_pointer, &parameters};
  check(cudaLaunchKernel(form.kernel, form.grid, form.block, arguments, 0, nullptr),
        form.name);
  check(cudaDeviceSynchronize(), form.name);
  check(
      cudaMemcpy(words.data(), out.get(), words.size() * 4, cudaMemcpyDeviceToHost),
      form.name);
  return words;
}

const char* result_name(Result result) {
  switch (result) {
    case Result::bits32:
      return "bits32";
    case Result::bits64:
      return "bits64";
    case Result::f32:
      return "f32";
    case Result::f64:
      return "f64";
  }
  return "";
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

void write_form(std::FILE* file, const Form& form,
                const std::vector<unsigned>& words) {
  std::fprintf(file, "{\"family\":%s,\"name\":%s,\"table\":%s,\"result\":%s,",
               quoted(form.family).c_str(), quoted(form.name).c_str(),
               quoted(form.table).c_str(),
               quoted(result_name(form.result)).c_str());
  std::fprintf(file,
               "\"relative\":%.9g,\"absolute\":%.9g,\"row_words\":%d,\"words\":\"",
               form.tolerance.relative, form.tolerance.absolute, form.words);
  for (const unsigned word : words) std::fprintf(file, "%08x", word);
  std::fprintf(file, "\"}");
}

void write_tables(std::FILE* file) {
  const char* separator = "";
  for (const std::string& name : operand_table_names()) {
    std::fprintf(file, "%s%s:[", separator, quoted(name).c_str());
    const char* comma = "";
    for (const Operands& row : operand_table(name)) {
      std::fprintf(file, "%s\"%llx %llx %llx %llx\"", comma, row.a, row.b, row.c,
                   row.d);
      comma = ",";
    }
    std::fprintf(file, "]");
    separator = ",\n";
  }
}

[[noreturn]] void usage(const std::string& problem) {
  std::fprintf(
      stderr,
      "%s: use --list, --out FILE, --family NAME (for example float32) or --form "
      "NAME\n",
      problem.c_str());
  std::exit(2);
}

}  // namespace

int run(int argc, char** argv) {
  std::string path;
  std::string family;
  std::string name;
  bool list = false;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--list") {
      list = true;
    } else if (i + 1 < argc && option == "--out") {
      path = argv[++i];
    } else if (i + 1 < argc && option == "--family") {
      family = argv[++i];
    } else if (i + 1 < argc && option == "--form") {
      name = argv[++i];
    } else {
      usage("unknown option '" + option + "'");
    }
  }
  std::vector<Form> chosen;
  std::set<std::string> names;
  for (const Form& form : forms()) {
    // The name is the key of the record.
    if (!names.insert(form.name).second) {
      std::fprintf(stderr, "two forms are called '%s'\n", form.name.c_str());
      return 1;
    }
    if (!family.empty() && form.family != family) continue;
    if (!name.empty() && form.name != name) continue;
    chosen.push_back(form);
  }
  if (chosen.empty()) usage("no form matches");
  if (list) {
    for (const Form& form : chosen) {
      std::printf("%s\t%s\n", form.family.c_str(), form.name.c_str());
    }
    return 0;
  }
  if (path.empty()) usage("no output file");
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (file == nullptr) usage("cannot write '" + path + "'");

  int runtime = 0;
  check(cudaRuntimeGetVersion(&runtime), "asking for the runtime's version");
  std::fprintf(file, "{\"schema\":\"rungs-instructions/1\",\"cuda_runtime\":%d,\n",
               runtime);
  std::fprintf(file, "\"forms\":[\n");
  const char* separator = "";
  int unsupported = 0;
  for (const Form& form : chosen) {
    std::vector<unsigned> words;
    try {
      words = form.table.empty() ? run_launch_form(form) : run_value_form(form);
    } catch (const Unsupported&) {
      // Written without words; errors stick to a device, so the next form gets a
      // new one.
      ++unsupported;
      static_cast<void>(cudaDeviceReset());
    }
    std::fprintf(file, "%s", separator);
    write_form(file, form, words);
    separator = ",\n";
  }
  std::fprintf(file, "],\n\"tables\":{\n");
  write_tables(file);
  std::fprintf(file, "}}\n");
  const bool failed = std::ferror(file) != 0;
  if (std::fclose(file) != 0 || failed) {
    std::fprintf(stderr, "'%s' could not be written whole\n", path.c_str());
    return 1;
  }
  std::printf("%zu forms, %d unsupported\n", chosen.size(), unsupported);
  return unsupported == 0 ? 0 : 77;
}

}  // namespace instructions

int main(int argc, char** argv) { return instructions::run(argc, argv); }
