// Shared memory that runs out: a status with the numbers, no signal, and nothing left behind.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "scripted_fallocate.h"
#include "support.h"

namespace {

using namespace gantry_test;

constexpr gantry_dtype kBytes{GANTRY_CODE_UINT, 8, 1};

uint64_t used_bytes() {
  struct statvfs status {};
  statvfs("/dev/shm", &status);
  return (status.f_blocks - status.f_bfree) * status.f_frsize;
}

TEST(SegmentSpace, MoreThanTheMachineHasIsRefusedAtOnce) {
  const TestName name;
  const gantry_segment_layout layout = layout_of(int64_t{1} << 40, 1024, 0, kBytes);
  for (const char* n : {static_cast<const char*>(nullptr), name.get()}) {
    gantry_storage* out = nullptr;
    EXPECT_EQ(GANTRY_ERROR_SEGMENT_SPACE, gantry_segment_create(n, &layout, 0, &out));
    EXPECT_NE(nullptr, std::strstr(gantry_last_error(), "the segment needs 1125899906846720 bytes of shared memory, "))
        << gantry_last_error();
    EXPECT_NE(nullptr, std::strstr(gantry_last_error(), " are left in ")) << gantry_last_error();
    EXPECT_EQ(nullptr, out);
  }
  EXPECT_TRUE(own_files().empty());
}

TEST(SegmentSpace, TheLimitOnFileSizesGivesAStatusInsteadOfSIGXFSZ) {
  const int status = run_in_child([] {
    const rlimit limit{1 << 20, 1 << 20};
    CHILD_CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    const TestName name;
    const gantry_segment_layout layout = layout_of(1 << 20, 1, 0, kBytes);
    for (const char* n : {static_cast<const char*>(nullptr), name.get()}) {
      gantry_storage* out = nullptr;
      CHILD_CHECK(gantry_segment_create(n, &layout, 0, &out) == GANTRY_ERROR_SEGMENT_SPACE);
      CHILD_CHECK(
          std::strcmp(gantry_last_error(),
                      "the segment needs 1052672 bytes of shared memory, 1048576 are left under the process's limit "
                      "on file sizes (ulimit -f)") == 0);
    }
    CHILD_CHECK(own_files().empty());
    CHILD_CHECK(create(name.get(), layout_of((1 << 20) - 4096, 1, 0, kBytes)) != nullptr);
    return 0;
  });
  EXPECT_EQ(0, status);
}

// A /dev/shm of one MiB for this process alone. kSkipped without the right to mount.
int with_small_shared_memory(const std::function<int()>& body) {
  return run_in_child([&] {
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=1m") != 0) {
      return kSkipped;
    }
    return body();
  });
}

TEST(SegmentSpace, AFullFileSystemIsRefusedAndLeftAsItWas) {
  const int status = with_small_shared_memory([] {
    const TestName name;
    const uint64_t before = used_bytes();
    gantry_storage* out = nullptr;
    const gantry_segment_layout too_large = layout_of(256, 4096, 0, kBytes);
    CHILD_CHECK(gantry_segment_create(name.get(), &too_large, 0, &out) == GANTRY_ERROR_SEGMENT_SPACE);
    CHILD_CHECK(
        std::strcmp(gantry_last_error(),
                    "the segment needs 1052672 bytes of shared memory, 1048576 are left in /dev/shm (a container's "
                    "grows with --shm-size)") == 0);
    CHILD_CHECK(own_files().empty() && used_bytes() == before);

    const Storage half = create(name.get(), layout_of(128, 4096, 0, kBytes));
    CHILD_CHECK(half != nullptr);
    CHILD_CHECK(used_bytes() == before + 129 * 4096);
    // The segment of the name is still there when its successor finds no room.
    const gantry_segment_layout half_again = layout_of(128, 4096, 0, kBytes);
    CHILD_CHECK(gantry_segment_create(name.get(), &half_again, 0, &out) == GANTRY_ERROR_SEGMENT_SPACE);
    CHILD_CHECK(std::strstr(gantry_last_error(), "needs 528384 bytes of shared memory, 520192 are left") != nullptr);
    CHILD_CHECK(own_files().size() == 1 && used_bytes() == before + 129 * 4096);
    // What was reserved can be written to its last byte.
    std::memset(gantry_storage_data(half.get()), 1, gantry_storage_bytes(half.get()));
    const Storage rest = create(nullptr, layout_of(126, 4096, 0, kBytes));
    CHILD_CHECK(rest != nullptr);
    return 0;
  });
  if (WIFEXITED(status) && WEXITSTATUS(status) == kSkipped) {
    GTEST_SKIP() << "a small /dev/shm cannot be mounted here (CAP_SYS_ADMIN is missing)";
  }
  EXPECT_EQ(0, status);
}

TEST(SegmentSpace, IsFreedWithTheLastReference) {
  const int status = with_small_shared_memory([] {
    const TestName name;
    const uint64_t before = used_bytes();
    {
      const Storage writer = create(name.get(), layout_of(64, 4096, 0, kBytes));
      const Storage reader = attach(name.get());
      CHILD_CHECK(reader != nullptr);
      CHILD_CHECK(gantry_segment_unlink(name.get()) == GANTRY_OK);
      CHILD_CHECK(used_bytes() == before + 65 * 4096);
    }
    CHILD_CHECK(used_bytes() == before);
    return 0;
  });
  if (WIFEXITED(status) && WEXITSTATUS(status) == kSkipped) {
    GTEST_SKIP() << "a small /dev/shm cannot be mounted here (CAP_SYS_ADMIN is missing)";
  }
  EXPECT_EQ(0, status);
}

void write_file(const std::string& path, const std::string& text) {
  if (FILE* file = std::fopen(path.c_str(), "w")) {
    std::fputs(text.c_str(), file);
    std::fclose(file);
  }
}

// Control groups as a container sees them, in files of our own. The limits stand at the root, which is above every
// group.
int with_control_groups(const std::function<void()>& write_files, const char* expected) {
  return run_in_child([&] {
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", "/sys/fs/cgroup", "tmpfs", 0, nullptr) != 0) {
      return kSkipped;
    }
    write_files();
    const TestName name;
    const gantry_segment_layout layout = layout_of(2048, 4096, 0, kBytes);
    for (const char* n : {static_cast<const char*>(nullptr), name.get()}) {
      gantry_storage* out = nullptr;
      CHILD_CHECK(gantry_segment_create(n, &layout, 0, &out) == GANTRY_ERROR_SEGMENT_SPACE);
      CHILD_CHECK(std::strcmp(gantry_last_error(), expected) == 0);
    }
    CHILD_CHECK(own_files().empty());
    CHILD_CHECK(create(name.get(), layout_of(16, 4096, 0, kBytes)) != nullptr);
    return 0;
  });
}

bool has_line_of_version(int version) {
  std::string text(4096, '\0');
  FILE* file = std::fopen("/proc/self/cgroup", "r");
  if (file == nullptr) {
    return false;
  }
  text.resize(std::fread(&text[0], 1, text.size(), file));
  std::fclose(file);
  return text.find(version == 2 ? "0::/" : ":memory:/") != std::string::npos;
}

TEST(SegmentSpace, TheLimitOfAControlGroupOfVersion2IsKept) {
  if (!has_line_of_version(2)) {
    GTEST_SKIP() << "no control group of version 2 in /proc/self/cgroup";
  }
  const int status = with_control_groups(
      [] {
        write_file("/sys/fs/cgroup/memory.max", "16777216\n");
        write_file("/sys/fs/cgroup/memory.current", "12582912\n");
        write_file("/sys/fs/cgroup/memory.stat", "anon 8000000\nfile 3000000\ninactive_file 2097152\n");
        write_file("/sys/fs/cgroup/memory.swap.max", "0\n");
      },
      "the segment needs 8392704 bytes of shared memory, 6291456 are left in the memory limit of the control group");
  if (WIFEXITED(status) && WEXITSTATUS(status) == kSkipped) {
    GTEST_SKIP() << "control groups of our own cannot be mounted here (CAP_SYS_ADMIN is missing)";
  }
  EXPECT_EQ(0, status);
}

TEST(SegmentSpace, TheLimitOfAControlGroupOfVersion1IsKept) {
  if (!has_line_of_version(1)) {
    GTEST_SKIP() << "no control group of version 1 in /proc/self/cgroup";
  }
  const int status = with_control_groups(
      [] {
        mkdir("/sys/fs/cgroup/memory", 0755);
        write_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "16777216\n");
        write_file("/sys/fs/cgroup/memory/memory.usage_in_bytes", "16777216\n");
        write_file("/sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 4194304\n");
      },
      "the segment needs 8392704 bytes of shared memory, 4194304 are left in the memory limit of the control group");
  if (WIFEXITED(status) && WEXITSTATUS(status) == kSkipped) {
    GTEST_SKIP() << "control groups of our own cannot be mounted here (CAP_SYS_ADMIN is missing)";
  }
  EXPECT_EQ(0, status);
}

constexpr int64_t kRowsOf150MiB = 150 << 10;

// Some kernels break off a reservation when a signal comes, and give back all of it.
TEST(SegmentSpace, SignalsDoNotKeepAReservationFromEnding) {
  script_fallocate({EINTR, EINTR, 0, EINTR, 0});
  const Storage storage = create(nullptr, layout_of(kRowsOf150MiB, 1024, 0, kBytes));
  ASSERT_NE(nullptr, storage) << gantry_last_error();
  EXPECT_EQ(0u, fallocate_script_left());
  struct stat status {};
  ASSERT_EQ(0, fstat(gantry_segment_fd(storage.get()), &status));
  EXPECT_EQ(4096 + kRowsOf150MiB * 1024, status.st_size);
  EXPECT_LE(status.st_size, status.st_blocks * 512) << "reserved to the last byte";
}

TEST(SegmentSpace, WhenOthersAreFasterNothingIsLeft) {
  const TestName name;
  const gantry_segment_layout layout = layout_of(64, 1024, 0, kBytes);
  const struct {
    int error;
    gantry_status status;
    const char* text;
  } cases[] = {{ENOSPC, GANTRY_ERROR_SEGMENT_SPACE,
                "the segment needs 69632 bytes of shared memory: posix_fallocate: No space left on device"},
               {EIO, GANTRY_ERROR_SYSTEM, "posix_fallocate of 69632 bytes for the segment: Input/output error"}};
  for (const auto& c : cases) {
    for (const char* n : {static_cast<const char*>(nullptr), name.get()}) {
      script_fallocate({c.error});
      gantry_storage* out = nullptr;
      EXPECT_EQ(c.status, gantry_segment_create(n, &layout, 0, &out));
      EXPECT_STREQ(c.text, gantry_last_error());
      EXPECT_EQ(nullptr, out);
      EXPECT_TRUE(own_files().empty());
    }
  }
}

// Makes openat with O_TMPFILE fail as it does in sandboxes that do not know it.
bool forbid_unnamed_files() {
  constexpr uint32_t kFlag = O_TMPFILE & ~O_DIRECTORY;
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args) + 2 * sizeof(uint64_t)),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kFlag, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{sizeof program / sizeof program[0], program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0 &&
         open("/dev/shm", O_TMPFILE | O_RDWR, 0600) < 0;
}

TEST(SegmentSpace, WithoutUnnamedFilesTemporaryNamesDoTheSame) {
  const int status = run_in_child([] {
    if (!forbid_unnamed_files()) {
      return kSkipped;
    }
    const TestName name;
    const Storage first = create(name.get(), layout_of(4, 2), GANTRY_SEGMENT_EXCLUSIVE);
    CHILD_CHECK(first != nullptr);
    floats(first)[0] = 1.0f;
    CHILD_CHECK(own_files().size() == 1);
    CHILD_CHECK(floats(attach(name.get()))[0] == 1.0f);
    CHILD_CHECK(create(name.get(), layout_of(8, 2), GANTRY_SEGMENT_EXCLUSIVE) == nullptr);
    CHILD_CHECK(own_files().size() == 1);
    CHILD_CHECK(create(name.get(), layout_of(8, 2)) != nullptr);
    CHILD_CHECK(own_files().size() == 1);
    CHILD_CHECK(gantry_storage_bytes(attach(name.get()).get()) == 64);
    CHILD_CHECK(create(name.get(), layout_of(int64_t{1} << 40, 1)) == nullptr);
    CHILD_CHECK(own_files().size() == 1);
    CHILD_CHECK(gantry_storage_bytes(attach(name.get()).get()) == 64);
    return 0;
  });
  if (WIFEXITED(status) && WEXITSTATUS(status) == kSkipped) {
    GTEST_SKIP() << "no system call filter can be installed here";
  }
  EXPECT_EQ(0, status);
}

}  // namespace
