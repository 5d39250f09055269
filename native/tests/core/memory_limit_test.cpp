// The limit of the memory, from files as Linux writes them.
#include "core/memory_limit.h"

#include <string>

#include "../temporary.h"
#include "support.h"

namespace {

class MemoryLimit : public ::testing::Test {
 protected:
  void SetUp() override { machine_ = gantry::memory_limit("/nowhere"); }
  // `path` begins with a slash, as in /proc and /sys.
  void write(const std::string& path, const std::string& text) { folder_.write(path.substr(1), text); }

  gantry::test::TemporaryFolder folder_;
  const std::string root_ = folder_.path().string();
  uint64_t machine_ = 0;
};

}  // namespace

TEST_F(MemoryLimit, WithoutCgroupsIsTheMachines) {
  EXPECT_EQ(gantry::memory_limit(root_), machine_);
  EXPECT_GE(machine_, uint64_t{1} << 26);
}

TEST_F(MemoryLimit, OfVersion2IsTheLeastOnTheWayUp) {
  write("/proc/self/cgroup", "0::/a.slice/b.scope\n");
  write("/sys/fs/cgroup/a.slice/b.scope/memory.max", "max\n");
  EXPECT_EQ(gantry::memory_limit(root_), machine_);
  write("/sys/fs/cgroup/a.slice/memory.max", "33554432\n");
  EXPECT_EQ(gantry::memory_limit(root_), 33554432u);
  write("/sys/fs/cgroup/a.slice/b.scope/memory.max", "20000000\n");
  EXPECT_EQ(gantry::memory_limit(root_), 20000000u);
}

TEST_F(MemoryLimit, OfAContainerIsAtTheRoot) {
  write("/proc/self/cgroup", "0::/docker/0123\n");
  write("/sys/fs/cgroup/memory.max", "16777216\n");
  EXPECT_EQ(gantry::memory_limit(root_), 16777216u);
}

TEST_F(MemoryLimit, OfVersion1IsThatOfTheMemoryController) {
  write("/proc/self/cgroup", "9:cpu,cpuacct:/x\n7:hugetlb,memory:/jobs/1\n3:memory_other:/y\n0::/\n");
  write("/sys/fs/cgroup/memory/jobs/1/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(gantry::memory_limit(root_), machine_);
  write("/sys/fs/cgroup/memory/jobs/1/memory.limit_in_bytes", "12345678\n");
  write("/sys/fs/cgroup/memory/x/memory.limit_in_bytes", "1\n");
  write("/sys/fs/cgroup/memory/y/memory.limit_in_bytes", "1\n");
  EXPECT_EQ(gantry::memory_limit(root_), 12345678u);
}
