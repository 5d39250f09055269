// The reader that core has for plug-ins, by the vectors that the other readers are tested with. It is stricter than
// they are: it reads the files of this build, and refuses what no build of Gantry writes.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "../temporary.h"
#include "core/note.h"

namespace {

using gantry::test::TemporaryFile;

struct Piece {
  const char* digits;
  size_t times;
};

struct Vector {
  const char* name;
  bool is_native;  // 64 bits, little-endian, of x86-64
  bool is_refused;
  bool has_stamp;
  std::vector<Piece> file;
  std::vector<std::pair<std::string, std::string>> keys;
};

const std::vector<Vector>& vectors() {
  static const std::vector<Vector> all = {
#include "vectors.inc"
  };
  return all;
}

std::string bytes_of(const Vector& vector) {
  std::string bytes;
  for (const Piece& piece : vector.file) {
    std::string some;
    for (const char* at = piece.digits; at[0] != '\0'; at += 2) {
      some.push_back(static_cast<char>(std::stoi(std::string(at, 2), nullptr, 16)));
    }
    for (size_t i = 0; i < piece.times; ++i) bytes += some;
  }
  return bytes;
}

// Stamps that the other readers find, and no build of Gantry writes: in sections alone, in a cut file, behind large
// notes.
const std::set<std::string> kStricter = {
    "section, 64-bit, little-endian",
    "an owner without NUL",
    "a segment larger than the file: what is there is read",
    "a foreign note of 1 MiB",
};

// Texts that the other readers tidy up.
const std::set<std::string> kTidied = {
    "CRLF",
    "blanks around key and value",
    "not UTF-8",
    "a line that the 64 KiB cut",
};

TEST(StampVectors, AreThere) {
  EXPECT_GT(vectors().size(), 60U);
  std::set<std::string> names;
  for (const Vector& vector : vectors()) names.insert(vector.name);
  for (const auto* exceptions : {&kStricter, &kTidied}) {
    for (const std::string& name : *exceptions) EXPECT_EQ(names.count(name), 1U) << name;
  }
}

TEST(StampVectors, AreReadOrRefused) {
#if !defined(__x86_64__)
  GTEST_SKIP() << "the vectors are files for x86-64, and this is another machine";
#endif
  for (const Vector& vector : vectors()) {
    SCOPED_TRACE(vector.name);
    const TemporaryFile file(bytes_of(vector));
    std::string stamp;
    std::string why;
    const bool expected =
        vector.is_native && !vector.is_refused && vector.has_stamp && kStricter.count(vector.name) == 0;
    ASSERT_EQ(gantry::read_stamp(file.path(), &stamp, &why), expected) << why;
    EXPECT_EQ(why.empty(), expected);
    if (!expected || kTidied.count(vector.name) != 0) continue;
    for (const auto& [key, value] : vector.keys) EXPECT_EQ(gantry::stamp_line(stamp, key), value) << key;
  }
}

TEST(StampVectors, NoPrefixOfAFileIsReadBeyondItsEnd) {
  const std::string bytes = bytes_of(vectors()[0]);
  for (size_t size = 0; size < bytes.size(); ++size) {
    const TemporaryFile file(bytes.substr(0, size));
    std::string stamp;
    std::string why;
    EXPECT_FALSE(gantry::read_stamp(file.path(), &stamp, &why)) << size;
    EXPECT_FALSE(why.empty()) << size;
  }
}

}  // namespace
