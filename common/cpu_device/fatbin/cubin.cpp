#include "cpu_device/fatbin/cubin.hpp"

#include <elf.h>

#include <cstring>
#include <map>
#include <string_view>

namespace rungs::cpu_device::fatbin {
namespace {

// Attributes of the section .nv.info: a format byte, an attribute byte, and 16 bits
// that are either the value itself or the size of the payload that follows.
constexpr uint8_t format_sized = 4;
constexpr uint8_t attribute_frame_size = 0x11;
constexpr uint8_t attribute_register_count = 0x2f;

[[noreturn]] void refuse(const std::string& what) {
  throw Error("the program's machine code for sm_90 is damaged: " + what +
              "; rebuild the program");
}

/// The ELF file, with every access checked against its end.
class Elf {
 public:
  explicit Elf(Bytes bytes) : bytes_(bytes) {
    const auto header = read<Elf64_Ehdr>(0, "the ELF header");
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64) {
      refuse("it is no 64-bit ELF file");
    }
    for (unsigned i = 0; i < header.e_shnum; ++i) {
      sections_.push_back(read<Elf64_Shdr>(
          header.e_shoff + uint64_t{i} * sizeof(Elf64_Shdr), "the section table"));
    }
    names_ = header.e_shstrndx;
  }

  const std::vector<Elf64_Shdr>& sections() const { return sections_; }

  std::string name(const Elf64_Shdr& section) const {
    return string(names_, section.sh_name);
  }

  Bytes data(const Elf64_Shdr& section) const {
    if (section.sh_type == SHT_NOBITS) return {};
    if (section.sh_offset > bytes_.size() ||
        section.sh_size > bytes_.size() - section.sh_offset) {
      refuse("a section reaches past its end");
    }
    return bytes_.subspan(section.sh_offset, section.sh_size);
  }

  /// A string of the string table in section `table`.
  std::string string(uint32_t table, uint32_t offset) const {
    if (table >= sections_.size())
      refuse("there is no section " + std::to_string(table));
    const Bytes strings = data(sections_[table]);
    if (offset >= strings.size()) refuse("a name lies outside its table");
    const char* const begin =
        reinterpret_cast<const char*>(strings.data()) + offset;
    return {begin, strnlen(begin, strings.size() - offset)};
  }

  template <typename T>
  T read(uint64_t offset, const char* what) const {
    return read_from<T>(bytes_, offset, what);
  }

  template <typename T>
  static T read_from(Bytes bytes, uint64_t offset, const char* what) {
    if (offset > bytes.size() || sizeof(T) > bytes.size() - offset) {
      refuse(std::string(what) + " is cut off");
    }
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
  }

 private:
  Bytes bytes_;
  std::vector<Elf64_Shdr> sections_;
  uint32_t names_ = 0;
};

/// The name of each symbol, by its index.
std::map<uint32_t, std::string> symbol_names(const Elf& elf) {
  std::map<uint32_t, std::string> names;
  for (const Elf64_Shdr& section : elf.sections()) {
    if (section.sh_type != SHT_SYMTAB) continue;
    const Bytes table = elf.data(section);
    for (uint32_t i = 0; (uint64_t{i} + 1) * sizeof(Elf64_Sym) <= table.size();
         ++i) {
      const auto symbol = Elf::read_from<Elf64_Sym>(
          table, uint64_t{i} * sizeof(Elf64_Sym), "the symbol table");
      if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC) {
        names[i] = elf.string(section.sh_link, symbol.st_name);
      }
    }
  }
  return names;
}

struct Resources {
  uint32_t registers = 0;
  uint32_t stack_bytes = 0;
};

/// What .nv.info says, by symbol index.
std::map<uint32_t, Resources> resources(Bytes info) {
  std::map<uint32_t, Resources> result;
  uint64_t offset = 0;
  while (offset + 4 <= info.size()) {
    const auto format = Elf::read_from<uint8_t>(info, offset, ".nv.info");
    const auto attribute = Elf::read_from<uint8_t>(info, offset + 1, ".nv.info");
    const auto size = Elf::read_from<uint16_t>(info, offset + 2, ".nv.info");
    offset += 4;
    if (format != format_sized) continue;
    if (attribute == attribute_register_count ||
        attribute == attribute_frame_size) {
      const auto symbol = Elf::read_from<uint32_t>(info, offset, ".nv.info");
      const auto value = Elf::read_from<uint32_t>(info, offset + 4, ".nv.info");
      Resources& entry = result[symbol];
      (attribute == attribute_register_count ? entry.registers
                                             : entry.stack_bytes) = value;
    }
    offset += size;
  }
  return result;
}

}  // namespace

std::vector<CubinKernel> cubin_kernels(Bytes cubin) {
  const Elf elf(cubin);
  const std::map<uint32_t, std::string> names = symbol_names(elf);
  std::vector<CubinKernel> kernels;
  uint64_t constant_bytes = 0;
  for (const Elf64_Shdr& section : elf.sections()) {
    const std::string name = elf.name(section);
    if (name == ".nv.constant3") constant_bytes += section.sh_size;
    if (name != ".nv.info") continue;
    for (const auto& [symbol, resources] : resources(elf.data(section))) {
      const auto found = names.find(symbol);
      if (found == names.end() || resources.registers == 0) continue;
      kernels.push_back(
          {found->second, resources.registers, resources.stack_bytes, 0});
    }
  }
  for (CubinKernel& kernel : kernels) {
    kernel.constant_bytes = static_cast<uint32_t>(constant_bytes);
  }
  return kernels;
}

}  // namespace rungs::cpu_device::fatbin
