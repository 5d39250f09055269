#include "cuda/architectures.h"

#include <gtest/gtest.h>

namespace gantry {
namespace cuda {
namespace {

constexpr char kDefault[] = "75,80,86,89,90,100,120+ptx";

TEST(Architectures, StampValue) {
  const char* stamp = "schema=1\nname=x\ncuda.archs=75,80+ptx\ncuda.archs.more=1\nlast=2";
  EXPECT_EQ(stamp_value(stamp, "cuda.archs"), "75,80+ptx");
  EXPECT_EQ(stamp_value(stamp, "schema"), "1");
  EXPECT_EQ(stamp_value(stamp, "last"), "2");
  EXPECT_EQ(stamp_value(stamp, "archs"), "");
  EXPECT_EQ(stamp_value("", "name"), "");
}

TEST(Architectures, SassIsOfTheSameMajorNumberAndNoGreaterMinor) {
  EXPECT_EQ(find_code(kDefault, 7, 0, true), Code::none);
  EXPECT_EQ(find_code(kDefault, 7, 5, true), Code::sass);
  EXPECT_EQ(find_code(kDefault, 8, 0, true), Code::sass);
  EXPECT_EQ(find_code(kDefault, 8, 7, true), Code::sass);
  EXPECT_EQ(find_code(kDefault, 9, 0, true), Code::sass);
  EXPECT_EQ(find_code(kDefault, 10, 3, true), Code::sass);
  EXPECT_EQ(find_code(kDefault, 12, 1, true), Code::sass);
  EXPECT_EQ(find_code("86", 8, 0, true), Code::none);
}

TEST(Architectures, PtxIsForTheSameAndLater) {
  EXPECT_EQ(find_code(kDefault, 13, 0, true), Code::ptx);
  EXPECT_EQ(find_code(kDefault, 13, 0, false), Code::ptx_too_new);
  EXPECT_EQ(find_code(kDefault, 11, 0, true), Code::none);
  EXPECT_EQ(find_code("ptx70", 7, 0, true), Code::ptx);
  EXPECT_EQ(find_code("ptx70", 12, 0, true), Code::ptx);
  EXPECT_EQ(find_code("ptx70", 6, 1, true), Code::none);
  // SASS needs no driver that reads the PTX.
  EXPECT_EQ(find_code("ptx70,90", 9, 0, false), Code::sass);
}

TEST(Architectures, SpecificCode) {
  EXPECT_EQ(find_code("90a+ptx", 9, 0, true), Code::sass);
  EXPECT_EQ(find_code("90a+ptx", 10, 0, true), Code::none);
  EXPECT_EQ(find_code("100a", 10, 3, true), Code::none);
  EXPECT_EQ(find_code("100f+ptx", 10, 3, true), Code::sass);
  EXPECT_EQ(find_code("ptx100f", 10, 3, true), Code::ptx);
  EXPECT_EQ(find_code("ptx100f", 12, 0, true), Code::none);
}

TEST(Architectures, WhatIsNoArchitectureIsNoCode) {
  for (const char* list : {"", ",", "native", "all", "9", "-90", "99999", "+ptx", "ptx"}) {
    EXPECT_EQ(find_code(list, 9, 0, true), Code::none) << list;
  }
}

}  // namespace
}  // namespace cuda
}  // namespace gantry
