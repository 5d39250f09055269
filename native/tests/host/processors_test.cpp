#include "host/processors.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <stdlib.h>

#include <cstring>
#include <thread>

#include "../temporary.h"
#include "host/host.h"
#include "host/isa.h"

namespace gantry::test {
namespace {

TEST(ParseThreads, TakesNumbersOnlyAndCutsLargeOnes) {
  EXPECT_EQ(parse_threads("1"), 1u);
  EXPECT_EQ(parse_threads("16"), 16u);
  EXPECT_EQ(parse_threads("256"), 256u);
  for (const char* text : {"257", "1000000", "99999999999999999999"})
    EXPECT_EQ(parse_threads(text), kMaxThreads) << text;
  for (const char* text : {"", "0", "-1", "+2", " 2", "2 ", "2x", "two", "257x"}) {
    EXPECT_EQ(parse_threads(text), 0u) << text;
  }
  EXPECT_EQ(parse_threads(nullptr), 0u);
}

class Cgroup : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) { folder_.write(path, text); }
  uint32_t processors(const char* membership) { return cgroup_processors(folder_.path().c_str(), membership); }
  TemporaryFolder folder_;
};

TEST_F(Cgroup, Version2TakesTheStrictestOnTheWayUp) {
  write("a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(processors("0::/a/b\n"), 0u);
  write("a/cpu.max", "250000 100000\n");
  EXPECT_EQ(processors("0::/a/b\n"), 3u);
  write("a/b/cpu.max", "50000 100000\n");
  EXPECT_EQ(processors("0::/a/b\n"), 1u);
}

TEST_F(Cgroup, Version2InAContainerWhoseFolderIsNotVisible) {
  write("cpu.max", "400000 100000\n");
  EXPECT_EQ(processors("0::/docker/0123\n"), 4u);
  EXPECT_EQ(processors("0::/\n"), 4u);
}

TEST_F(Cgroup, Version1) {
  write("cpu/c/cpu.cfs_quota_us", "150000\n");
  write("cpu/c/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(processors("12:memory:/c\n4:cpu,cpuacct:/c\n1:cpuset:/c\n"), 2u);
  EXPECT_EQ(processors("12:memory:/c\n1:cpuset:/c\n3:cpuacct:/c\n"), 0u);
  write("cpu/c/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(processors("4:cpu:/c\n"), 0u);
}

TEST_F(Cgroup, NonsenseIsNoLimit) {
  write("cpu.max", "0 100000\n");
  EXPECT_EQ(processors("0::/\n"), 0u);
  write("cpu.max", "10 0\n");
  EXPECT_EQ(processors("0::/\n"), 0u);
  write("cpu.max", "-5 100000\n");
  EXPECT_EQ(processors("0::/\n"), 0u);
  write("cpu.max", "many\n");
  EXPECT_EQ(processors("0::/\n"), 0u);
  for (const char* membership : {"", "\n", "0", "0:", "::", "0::", "\n\n4:cpu"}) EXPECT_EQ(processors(membership), 0u);
  EXPECT_EQ(processors(("0::/" + std::string(10000, 'x') + "\n").c_str()), 0u);
}

TEST_F(Cgroup, AHugeQuotaIsCut) {
  write("cpu.max", "9000000000000000000 1\n");
  EXPECT_EQ(processors("0::/\n"), kMaxThreads);
}

TEST(UsableProcessors, FollowsTheAffinityMask) {
  std::thread([] {
    cpu_set_t mask;
    ASSERT_EQ(sched_getaffinity(0, sizeof(mask), &mask), 0);
    int first = 0;
    while (CPU_ISSET(first, &mask) == 0) ++first;
    CPU_ZERO(&mask);
    CPU_SET(first, &mask);
    ASSERT_EQ(sched_setaffinity(0, sizeof(mask), &mask), 0);
    EXPECT_EQ(usable_processors(), 1u);
    EXPECT_EQ(make_host_backend(0)->threads(), 1u);
  }).join();
}

TEST(MakeHostBackend, TakesThreadsFromTheCallerThenTheEnvironment) {
  setenv("GANTRY_NUM_THREADS", "5", 1);
  EXPECT_EQ(make_host_backend(0)->threads(), 5u);
  EXPECT_EQ(make_host_backend(3)->threads(), 3u);
  EXPECT_EQ(make_host_backend(100000)->threads(), kMaxThreads);
  setenv("GANTRY_NUM_THREADS", "nonsense", 1);
  EXPECT_EQ(make_host_backend(0)->threads(), usable_processors());
  unsetenv("GANTRY_NUM_THREADS");
  EXPECT_EQ(make_host_backend(0)->threads(), usable_processors());
}

TEST(MakeHostBackend, TakesTheHighestLevelOrTheOneThatIsAskedFor) {
  const Kernels* levels[kMaxLevels];
  const int count = runnable_kernels(levels);
  unsetenv("GANTRY_ISA");
  EXPECT_STREQ(make_host_backend(1)->isa(), levels[count - 1]->name);
  for (int k = 0; k < count; ++k) {
    setenv("GANTRY_ISA", levels[k]->name, 1);
    EXPECT_STREQ(make_host_backend(1)->isa(), levels[k]->name);
  }
  for (const char* unknown : {"", "x86-64-v9", "X86-64", "avx2"}) {
    setenv("GANTRY_ISA", unknown, 1);
    EXPECT_STREQ(make_host_backend(1)->isa(), levels[count - 1]->name);
  }
  unsetenv("GANTRY_ISA");
}

#if defined(__x86_64__)
// The compiler's own runtime has the same opinion of the processor.
TEST(RunnableKernels, AgreeWithTheCompilersRuntime) {
  __builtin_cpu_init();
  const Kernels* levels[kMaxLevels];
  const int count = runnable_kernels(levels);
  const bool has_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool has_v4 = has_v3 && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd");
  EXPECT_STREQ(levels[count - 1]->name, has_v4 ? "x86-64-v4" : has_v3 ? "x86-64-v3" : "x86-64");
}
#endif

}  // namespace
}  // namespace gantry::test
