#include "rung/output_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "rung/stop.hpp"

namespace rungs {
namespace {

namespace fs = std::filesystem;

class OutputFile : public testing::Test {
 protected:
  OutputFile() {
    std::string name =
        (fs::temp_directory_path() / "rungs \xc3\xbc XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  ~OutputFile() override { fs::remove_all(folder); }

  static std::string text_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }

  fs::path folder;
};

TEST_F(OutputFile, IsWrittenWholeAndLeavesNothingBeside) {
  write_whole(folder / "a.json", "first");
  write_whole(folder / "a.json", "second");
  EXPECT_EQ(text_of(folder / "a.json"), "second");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputFile, IsFoundWritableWithoutATrace) {
  require_writable(folder / "a.json");
  EXPECT_EQ(files(), 0u);
}

TEST_F(OutputFile, FollowsALink) {
  fs::create_directory(folder / "elsewhere");
  write_whole(folder / "elsewhere" / "a.json", "first");
  fs::create_symlink("elsewhere/a.json", folder / "link.json");
  write_whole(folder / "link.json", "second");
  EXPECT_TRUE(fs::is_symlink(folder / "link.json"));
  EXPECT_EQ(text_of(folder / "elsewhere" / "a.json"), "second");
}

TEST_F(OutputFile, SaysWhyItCannotBeWritten) {
  const std::string missing = folder / "none" / "a.json";
  try {
    require_writable(missing);
    FAIL();
  } catch (const Stop& stop) {
    EXPECT_EQ(stop.code(), Exit::wrong_use);
    EXPECT_EQ(stop.what(),
              "cannot write " + missing + ": No such file or directory");
  }
  EXPECT_THROW(require_writable(folder), Stop);  // a folder is no file
}

TEST_F(OutputFile, SaysThatTheDiskIsFullAndKeepsTheDevice) {
  require_writable("/dev/full");
  try {
    write_whole("/dev/full", "text");
    FAIL();
  } catch (const Stop& stop) {
    EXPECT_EQ(stop.code(), Exit::check_failed);
    EXPECT_STREQ(stop.what(), "cannot write /dev/full: No space left on device");
  }
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

}  // namespace
}  // namespace rungs
