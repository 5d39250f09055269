// Files and folders that are gone with the test.
#ifndef GANTRY_TESTS_TEMPORARY_H
#define GANTRY_TESTS_TEMPORARY_H

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace gantry::test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "gantry-test-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr) << name;
    path_ = name;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  // Folders on the way are made.
  std::filesystem::path write(const std::filesystem::path& relative, const std::string& bytes) const {
    const std::filesystem::path path = path_ / relative;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream file(path, std::ios::binary);
    file << bytes;
    file.close();
    EXPECT_TRUE(file.good()) << path;
    return path;
  }

 private:
  std::filesystem::path path_;
};

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes) : path_(folder_.write("file", bytes)) {}
  const char* path() const { return path_.c_str(); }

 private:
  TemporaryFolder folder_;
  std::filesystem::path path_;
};

}  // namespace gantry::test

#endif
