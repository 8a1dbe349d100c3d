#include <dlfcn.h>
#include <gtest/gtest.h>

#include "cpu_device/fatbin/container.hpp"
#include "cpu_device/fatbin/cubin.hpp"
#include "image_builder.hpp"

namespace rungs::cpu_device::fatbin::test {
namespace {

const std::string ptx_text = ".version 9.0\n.target sm_90\n.address_size 64\n";

EntrySpec ptx(uint32_t architecture, const std::string& text = ptx_text) {
  return {.kind = 1, .architecture = architecture, .payload = bytes_of(text)};
}

std::string message_of(const Image& image) {
  try {
    entries(image);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// The text as zstd or LZ4 data, by the system's library; empty when it is not
/// there.
Image compressed(const std::string& text, Compression compression) {
  Image result(text.size() * 2 + 1024);
  const int capacity = static_cast<int>(result.size());
  size_t bytes = 0;
  if (compression == Compression::zstd) {
    void* const library = dlopen("libzstd.so.1", RTLD_NOW);
    if (!library) return {};
    using Compress = size_t(void*, size_t, const void*, size_t, int);
    auto* const compress =
        reinterpret_cast<Compress*>(dlsym(library, "ZSTD_compress"));
    bytes = compress(result.data(), result.size(), text.data(), text.size(), 3);
  } else {
    void* const library = dlopen("liblz4.so.1", RTLD_NOW);
    if (!library) return {};
    using Compress = int(const char*, char*, int, int);
    auto* const compress =
        reinterpret_cast<Compress*>(dlsym(library, "LZ4_compress_default"));
    bytes = static_cast<size_t>(compress(text.data(),
                                         reinterpret_cast<char*>(result.data()),
                                         static_cast<int>(text.size()), capacity));
  }
  result.resize(bytes);
  return result;
}

/// Reads everything that can be read. An Error is the one way out that is allowed;
/// it must say something.
void read_all(const Image& image) {
  try {
    for (const Entry& entry : entries(image)) {
      const std::vector<std::byte> bytes = contents(entry);
      if (entry.kind == Kind::cubin) cubin_kernels(bytes);
    }
  } catch (const Error& error) {
    EXPECT_GT(std::string(error.what()).size(), 20u);
  }
}

TEST(Container, ReadsEntriesInOrder) {
  const Image image =
      container({{.kind = 2, .payload = Image(24)}, ptx(80), ptx(90)});
  const std::vector<Entry> found = entries(image);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].kind, Kind::cubin);
  EXPECT_EQ(found[1].architecture, 80u);
  EXPECT_EQ(text(found[2]), ptx_text);
}

TEST(Container, TakesSeveralAndAnEmptyFirst) {
  Image image = container({});
  const Image second = container({ptx(90)});
  append(image, second.data(), second.size());
  ASSERT_EQ(entries(image).size(), 1u);
  EXPECT_EQ(text(entries(image)[0]), ptx_text);
}

TEST(Container, PassesOverKindsItDoesNotKnow) {
  const Image image = container({{.kind = 16, .payload = Image(8)}, ptx(90)});
  EXPECT_EQ(entries(image).size(), 1u);
}

TEST(Container, PicksTheNewestPtxUpTo90) {
  const Image image = container({ptx(80), ptx(90), ptx(75), ptx(100), ptx(120)});
  const std::vector<Entry> found = entries(image);
  EXPECT_EQ(newest_ptx(found, 90)->architecture, 90u);
  EXPECT_EQ(newest_ptx(found, 89)->architecture, 80u);
  EXPECT_EQ(newest_ptx(found, 70), nullptr);
}

TEST(Container, SaysHowToBuildAProgramWithoutPtx) {
  const Image only_cubin =
      container({{.kind = 2, .architecture = 90, .payload = {}}});
  const std::string message = no_ptx_message(entries(only_cubin), 90);
  EXPECT_NE(message.find("machine code for sm_90 but no PTX"), std::string::npos);
  EXPECT_NE(message.find("code=[compute_90,sm_90]"), std::string::npos);
  const Image only_new = container({ptx(100)});
  EXPECT_NE(no_ptx_message(entries(only_new), 90).find("compute_100"),
            std::string::npos);
}

TEST(Container, NamesAWrongMagicNumber) {
  Image image = container({ptx(90)});
  image[0] = std::byte{0x51};
  EXPECT_NE(message_of(image).find("ba55ed51"), std::string::npos);
}

TEST(Container, EndsInAnErrorWhereverItIsCutOff) {
  const Image image = container({ptx(80), ptx(90)});
  for (size_t bytes = 0; bytes < image.size(); ++bytes) {
    const Image cut(image.begin(),
                    image.begin() + static_cast<std::ptrdiff_t>(bytes));
    EXPECT_NE(message_of(cut), "") << "cut to " << bytes << " bytes";
  }
  EXPECT_EQ(message_of(image), "");
}

TEST(Container, RefusesSizesPastTheEnd) {
  for (const size_t offset : {8u, 16u + 4u, 16u + 8u, 16u + 13u}) {
    Image image = container({ptx(90)});
    image[offset] = std::byte{0xff};
    EXPECT_NE(message_of(image), "") << "size at byte " << offset;
  }
}

TEST(Container, NeverCrashesOnADamagedByte) {
  for (const Compression compression : {Compression::zstd, Compression::lz4}) {
    EntrySpec packed{.payload = compressed(ptx_text, compression),
                     .flags = compression == Compression::zstd ? 0x8011u : 0x2011u,
                     .uncompressed_bytes = ptx_text.size()};
    if (packed.payload.empty())
      GTEST_SKIP() << "libzstd.so.1 or liblz4.so.1 is missing";
    const Image image = container(
        {packed, ptx(90), {.kind = 2, .payload = cubin("kernel", 40, 8, 16)}});
    for (size_t i = 0; i < image.size(); ++i) {
      for (const int flip : {0x01, 0x80, 0xff}) {
        Image damaged = image;
        damaged[i] ^= static_cast<std::byte>(flip);
        read_all(damaged);
      }
    }
  }
}

class Compressed : public testing::TestWithParam<Compression> {
 protected:
  EntrySpec spec(const std::string& content) const {
    return {.payload = compressed(content, GetParam()),
            .flags = GetParam() == Compression::zstd ? 0x8011u : 0x2011u,
            .uncompressed_bytes = content.size()};
  }
};

TEST_P(Compressed, UnpacksToTheText) {
  const std::string long_text = ptx_text + std::string(50000, ' ') + "// end\n";
  const EntrySpec packed = spec(long_text);
  if (packed.payload.empty()) GTEST_SKIP() << "the library is missing";
  const Image image = container({packed});
  EXPECT_EQ(text(entries(image)[0]), long_text);
}

TEST_P(Compressed, RefusesAWrongSize) {
  for (const int64_t change : {-1, 1, 1 << 20}) {
    EntrySpec packed = spec(ptx_text);
    if (packed.payload.empty()) GTEST_SKIP() << "the library is missing";
    packed.uncompressed_bytes += static_cast<uint64_t>(change);
    const Image image = container({packed});
    EXPECT_THROW(text(entries(image)[0]), Error) << change;
  }
}

TEST_P(Compressed, RefusesAnAbsurdSizeBeforeItAllocates) {
  EntrySpec packed = spec(ptx_text);
  if (packed.payload.empty()) GTEST_SKIP() << "the library is missing";
  packed.uncompressed_bytes = uint64_t{1} << 60;
  const Image image = container({packed});
  EXPECT_THROW(text(entries(image)[0]), Error);
}

TEST_P(Compressed, EndsInAnErrorWhereverThePayloadIsCutOff) {
  const EntrySpec packed = spec(ptx_text);
  if (packed.payload.empty()) GTEST_SKIP() << "the library is missing";
  for (size_t bytes = 1; bytes < packed.payload.size(); ++bytes) {
    EntrySpec cut = packed;
    cut.payload.resize(bytes);
    const Image image = container({cut});
    EXPECT_THROW(text(entries(image)[0]), Error) << "cut to " << bytes << " bytes";
  }
}

INSTANTIATE_TEST_SUITE_P(Methods, Compressed,
                         testing::Values(Compression::zstd, Compression::lz4),
                         [](const auto& test) {
                           return test.param == Compression::zstd ? "zstd" : "lz4";
                         });

TEST(Cubin, ReadsRegistersStackAndConstants) {
  const std::vector<CubinKernel> kernels =
      cubin_kernels(cubin("_Z4workPf", 72, 16, 64));
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].name, "_Z4workPf");
  EXPECT_EQ(kernels[0].registers, 72u);
  EXPECT_EQ(kernels[0].stack_bytes, 16u);
  EXPECT_EQ(kernels[0].constant_bytes, 64u);
}

TEST(Cubin, EndsInAnErrorWhereverItIsCutOff) {
  const Image image = cubin("_Z4workPf", 72, 16, 64);
  for (size_t bytes = 0; bytes < image.size(); ++bytes) {
    const Image cut(image.begin(),
                    image.begin() + static_cast<std::ptrdiff_t>(bytes));
    EXPECT_THROW(cubin_kernels(cut), Error) << "cut to " << bytes << " bytes";
  }
}

}  // namespace
}  // namespace rungs::cpu_device::fatbin::test
