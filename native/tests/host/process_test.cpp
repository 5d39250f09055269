// Forks and several callers: what happens to the threads of a backend around them.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>

#include "support.h"

namespace gantry::test {
namespace {

// A gather that several threads share, and what it has to give.
struct Work {
  std::mt19937_64 random{21};
  Rows table{4000, 16, kF32Type, 0, 0, &random};
  Rows output{20000, 16, kF32Type, 0, 0, &random};
  Indices indices{random_indices(20000, 4000, &random), 64, false};
  std::vector<char> wanted;
  Call call{Op::gather};

  Work() {
    call.set(&table, 16, &output);
    indices.put_into(&call.request);
    gantry_stats stats;
    reference(call.request, &stats);
    wanted = output.all();
  }
  bool run(HostBackend* backend) {
    std::memset(output.data(), 0, static_cast<size_t>(output.count() * output.stride()));
    return call.run(backend) == GANTRY_OK && output.all() == wanted;
  }
};

// Runs `body` in a child that an alarm ends when it hangs. Returns waitpid's status.
template <class Body>
int in_child(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(body() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

// Threads of this process, as the system counts them.
int count_threads() {
  char line[256];
  int threads = -1;
  FILE* status = std::fopen("/proc/self/status", "r");
  while (status != nullptr && std::fgets(line, sizeof(line), status) != nullptr)
    std::sscanf(line, "Threads: %d", &threads);
  if (status != nullptr) std::fclose(status);
  return threads;
}

// AddressSanitizer (of GCC 12) leaves its allocator's locks to the child as they are: held, when another thread was just
// allocating, and the child waits for ever. glibc's own malloc sees to that.
#define GANTRY_NEEDS_FORK()                                                                          \
  if (kThreadSanitizer) GTEST_SKIP() << "ThreadSanitizer ends children that start threads";          \
  if (kAddressSanitizer) GTEST_SKIP() << "AddressSanitizer's allocator may be locked in a child of several threads"

TEST(Fork, TheChildStartsItsOwnThreads) {
  GANTRY_NEEDS_FORK();
  const auto used = backend("", 4);
  Work work;
  ASSERT_TRUE(work.run(used.get()));
  EXPECT_EQ(in_child([&] { return count_threads() == 1 && work.run(used.get()) && count_threads() == 4; }), 0);
  ASSERT_TRUE(work.run(used.get()));
}

TEST(Fork, TheChildsChildToo) {
  GANTRY_NEEDS_FORK();
  const auto used = backend("", 4);
  Work work;
  ASSERT_TRUE(work.run(used.get()));
  EXPECT_EQ(in_child([&] { return work.run(used.get()) && in_child([&] { return work.run(used.get()); }) == 0; }), 0);
}

TEST(Fork, TheChildMayEndTheBackend) {
  GANTRY_NEEDS_FORK();
  auto used = backend("", 4);
  Work work;
  ASSERT_TRUE(work.run(used.get()));
  EXPECT_EQ(in_child([&] {
              used.reset();
              return true;
            }),
            0);
  EXPECT_EQ(in_child([&] {
              const bool is_right = work.run(used.get());
              used.reset();
              return is_right;
            }),
            0);
  ASSERT_TRUE(work.run(used.get()));
}

// The fork falls into ops of another thread: the child has their half-done state.
TEST(Fork, InTheMiddleOfOpsOfAnotherThread) {
  GANTRY_NEEDS_FORK();
  const auto used = backend("", 4);
  std::atomic<bool> ends{false};
  std::atomic<int> wrong{0};
  std::atomic<int> ops{0};
  std::thread other([&] {
    Work busy;
    while (!ends.load()) {
      wrong += busy.run(used.get()) ? 0 : 1;
      ops.fetch_add(1);
    }
  });
  Work work;
  for (int k = 0; k < 50; ++k) {
    const int seen = ops.load();
    while (ops.load() == seen) std::this_thread::yield();
    EXPECT_EQ(in_child([&] { return work.run(used.get()); }), 0) << k;
  }
  ends = true;
  other.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST(Threads, EightCallersOfOneBackend) {
  const auto used = backend("", 4);
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 8; ++caller) {
    callers.emplace_back([&] {
      Work work;
      for (int k = 0; k < 25; ++k) wrong += work.run(used.get()) ? 0 : 1;
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST(Threads, ManyBackendsComeAndGo) {
  Work work;
  for (int k = 0; k < 100; ++k) ASSERT_TRUE(work.run(backend("", 3).get()));
}

// None is left behind.
TEST(Threads, NoneIsLeftAfterTheBackend) {
  Work work;
  // The thread sanitizer starts its own thread with the first of the process.
  std::thread([] {}).join();
  const int before = count_threads();
  {
    const auto used = backend("", 5);
    ASSERT_TRUE(work.run(used.get()));
    EXPECT_EQ(count_threads(), before + 4);
  }
  // A thread that has been joined is still counted for a moment.
  for (int k = 0; k < 2000 && count_threads() != before; ++k) usleep(1000);
  EXPECT_EQ(count_threads(), before);
}

}  // namespace
}  // namespace gantry::test
