#include "image_builder.hpp"

#include <elf.h>

#include <cstring>

namespace rungs::cpu_device::fatbin::test {

void append(Image& image, const void* data, size_t bytes) {
  const size_t before = image.size();
  image.resize(before + bytes);
  if (bytes > 0) std::memcpy(image.data() + before, data, bytes);
}

Image bytes_of(const std::string& text) {
  Image image;
  append(image, text.data(), text.size());
  return image;
}

Image container(const std::vector<EntrySpec>& entries) {
  Image body;
  for (const EntrySpec& entry : entries) {
    const bool compressed = entry.uncompressed_bytes != 0;
    const uint64_t padded = (entry.payload.size() + 7) / 8 * 8;
    append(body, entry.kind);
    append(body, uint16_t{0x0101});
    append(body, uint32_t{64});
    append(body, padded);
    append(body, static_cast<uint32_t>(compressed ? entry.payload.size() : 0));
    append(body, uint32_t{0});
    append(body, uint16_t{0});
    append(body, uint16_t{9});
    append(body, entry.architecture);
    append(body, uint64_t{0});
    append(body, entry.flags);
    append(body, uint64_t{0});
    append(body, entry.uncompressed_bytes);
    append(body, entry.payload.data(), entry.payload.size());
    body.resize(body.size() + (padded - entry.payload.size()));
  }
  Image image;
  append(image, uint32_t{0xBA55ED50});
  append(image, uint16_t{1});
  append(image, uint16_t{16});
  append(image, uint64_t{body.size()});
  append(image, body.data(), body.size());
  return image;
}

Image cubin(const std::string& kernel, uint32_t registers, uint32_t stack_bytes,
            uint32_t constant_bytes) {
  enum Section : uint16_t { null, names, symbols, info, constants, count };
  const std::string section_names("\0.strtab\0.symtab\0.nv.info\0.nv.constant3\0",
                                  41);
  const std::string strings = section_names + kernel + '\0';

  Image info_data;
  const auto attribute = [&](uint8_t code, uint32_t value) {
    append(info_data, uint8_t{4});
    append(info_data, code);
    append(info_data, uint16_t{8});
    append(info_data, uint32_t{1});
    append(info_data, value);
  };
  attribute(0x2f, registers);
  attribute(0x11, stack_bytes);
  append(info_data, uint32_t{0x00005003});  // an attribute without payload

  Elf64_Sym symbol{};
  symbol.st_name = static_cast<Elf64_Word>(section_names.size());
  symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  Image symbol_data(sizeof symbol);
  append(symbol_data, symbol);

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_shnum = count;
  header.e_shstrndx = names;
  Image image(sizeof header);
  Elf64_Shdr table[count]{};
  const auto add = [&](Section section, uint32_t name, uint32_t type,
                       const Image& data) {
    table[section].sh_name = name;
    table[section].sh_type = type;
    table[section].sh_offset = image.size();
    table[section].sh_size = data.size();
    append(image, data.data(), data.size());
  };
  add(names, 1, SHT_STRTAB, bytes_of(strings));
  add(symbols, 9, SHT_SYMTAB, symbol_data);
  add(info, 17, SHT_LOPROC, info_data);
  add(constants, 26, SHT_PROGBITS, Image(constant_bytes));
  table[symbols].sh_link = names;
  header.e_shoff = image.size();
  append(image, table, sizeof table);
  std::memcpy(image.data(), &header, sizeof header);
  return image;
}

}  // namespace rungs::cpu_device::fatbin::test
