#include "host/pool.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <cfenv>
#include <thread>
#include <vector>

namespace gantry::test {
namespace {

struct Counts {
  std::vector<std::atomic<int>> calls;
  explicit Counts(size_t lanes) : calls(lanes) {}
  static void count(void* self, uint32_t lane) { static_cast<Counts*>(self)->calls[lane].fetch_add(1); }
  void expect_each(int times) {
    for (size_t lane = 0; lane < calls.size(); ++lane) EXPECT_EQ(calls[lane].load(), times) << lane;
  }
};

TEST(Pool, StartsNoThreadBeforeTheFirstJob) {
  Pool pool(4);
  EXPECT_EQ(pool.started(), 0u);
  Counts one(1);
  pool.run(1, Counts::count, &one);
  EXPECT_EQ(pool.started(), 0u);
  Counts three(3);
  pool.run(3, Counts::count, &three);
  EXPECT_EQ(pool.started(), 2u);
  Counts many(9);
  pool.run(9, Counts::count, &many);
  EXPECT_EQ(pool.started(), 3u);
  one.expect_each(1);
  three.expect_each(1);
  many.expect_each(1);
}

TEST(Pool, RunsEveryLaneOnceInManyJobs) {
  for (const uint32_t threads : {1u, 2u, 7u, 16u}) {
    Pool pool(threads);
    Counts counts(5);
    for (int job = 0; job < 2000; ++job) pool.run(5, Counts::count, &counts);
    counts.expect_each(2000);
  }
}

// Lanes meet: each waits for the other, so they have to be on two threads.
TEST(Pool, SharesTheWork) {
  Pool pool(2);
  struct Meeting {
    std::atomic<int> arrived{0};
    std::thread::id ids[2];
  } meeting;
  pool.run(
      2,
      [](void* opaque, uint32_t lane) {
        Meeting& here = *static_cast<Meeting*>(opaque);
        here.ids[lane] = std::this_thread::get_id();
        here.arrived.fetch_add(1);
        while (here.arrived.load() < 2) std::this_thread::yield();
      },
      &meeting);
  EXPECT_NE(meeting.ids[0], meeting.ids[1]);
}

// A job inside a job, and jobs of other threads meanwhile, run on their caller.
TEST(Pool, BusyThreadsMeanThatTheCallerWorksAlone) {
  Pool pool(2);
  struct State {
    Pool* pool;
    std::atomic<int> inner{0};
    std::atomic<bool> alone{true};
  } state;
  state.pool = &pool;
  pool.run(
      2,
      [](void* opaque, uint32_t) {
        State& outer = *static_cast<State*>(opaque);
        struct Inner {
          State* outer;
          std::thread::id caller;
        } inner{&outer, std::this_thread::get_id()};
        outer.pool->run(
            3,
            [](void* deeper, uint32_t) {
              Inner& here = *static_cast<Inner*>(deeper);
              here.outer->inner.fetch_add(1);
              if (std::this_thread::get_id() != here.caller) here.outer->alone = false;
            },
            &inner);
      },
      &state);
  EXPECT_EQ(state.inner.load(), 6);
  EXPECT_TRUE(state.alone.load());
}

TEST(Pool, EightCallersAtOnce) {
  Pool pool(3);
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int caller = 0; caller < 8; ++caller) {
    callers.emplace_back([&] {
      for (int job = 0; job < 500; ++job) {
        Counts counts(4);
        pool.run(4, Counts::count, &counts);
        for (auto& calls : counts.calls) wrong += calls.load() == 1 ? 0 : 1;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST(Pool, ThreadsAreNotInterruptedBySignals) {
  Pool pool(2);
  struct Seen {
    std::atomic<int> arrived{0};
    std::thread::id caller = std::this_thread::get_id();
    std::atomic<bool> blocked{false};
  } seen;
  pool.run(
      2,
      [](void* opaque, uint32_t) {
        Seen& here = *static_cast<Seen*>(opaque);
        if (std::this_thread::get_id() != here.caller) {
          sigset_t mask;
          pthread_sigmask(SIG_SETMASK, nullptr, &mask);
          here.blocked = sigismember(&mask, SIGINT) == 1 && sigismember(&mask, SIGALRM) == 1;
        }
        here.arrived.fetch_add(1);
        while (here.arrived.load() < 2) std::this_thread::yield();
      },
      &seen);
  EXPECT_TRUE(seen.blocked.load());
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGINT), 0);
}

// Another thread rounds as the caller does, also after a job of a caller that rounds otherwise.
TEST(Pool, ThreadsRoundAsTheirCaller) {
  Pool pool(2);
  for (const int direction : {FE_UPWARD, FE_TONEAREST, FE_TOWARDZERO}) {
    struct Seen {
      std::atomic<int> arrived{0};
      int directions[2];
    } seen;
    ASSERT_EQ(fesetround(direction), 0);
    pool.run(
        2,
        [](void* opaque, uint32_t lane) {
          Seen& here = *static_cast<Seen*>(opaque);
          volatile double one = 1.0;
          volatile double third = one / 3.0;
          volatile double minus_third = -one / 3.0;
          here.directions[lane] = third > -minus_third ? FE_UPWARD : third * 3 == 1.0 ? FE_TONEAREST : FE_TOWARDZERO;
          here.arrived.fetch_add(1);
          while (here.arrived.load() < 2) std::this_thread::yield();
        },
        &seen);
    fesetround(FE_TONEAREST);
    EXPECT_EQ(seen.directions[0], direction);
    EXPECT_EQ(seen.directions[1], direction);
  }
}

// Stacks of 64 TiB find no place: threads that cannot be started are done without.
TEST(Pool, WorksWithoutThreadsWhenNoneCanBeStarted) {
  pthread_attr_t before;
  ASSERT_EQ(pthread_getattr_default_np(&before), 0);
  pthread_attr_t huge;
  ASSERT_EQ(pthread_getattr_default_np(&huge), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&huge, size_t{1} << 46), 0);
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  Pool pool(4);
  Counts counts(6);
  pool.run(6, Counts::count, &counts);
  const uint32_t started = pool.started();
  ASSERT_EQ(pthread_setattr_default_np(&before), 0);
  pool.run(6, Counts::count, &counts);
  EXPECT_EQ(started, 0u);
  counts.expect_each(2);
  pthread_attr_destroy(&huge);
  pthread_attr_destroy(&before);
}

}  // namespace
}  // namespace gantry::test
