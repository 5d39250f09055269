#include "host/pool.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <new>

#include "host/float_mode.h"

namespace gantry {
namespace {

// How many forks lie between this process and the one that loaded the library. Registered when the library is loaded,
// which stays loaded.
std::atomic<uint32_t> forks{0};
[[gnu::constructor]] void watch_forks() {
  pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
}

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

void futex_wait(std::atomic<uint32_t>* word, uint32_t value) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void futex_wake(std::atomic<uint32_t>* word, int count) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

constexpr int kSpins = 2000;

}  // namespace

// What threads of one process share. Never freed while one of them may look at it; in a child, that of the parent stays
// as it was at the fork and is only freed with the pool.
struct Pool::Crew {
  uint32_t forks = 0;
  Crew* parent = nullptr;
  pthread_t* handles = nullptr;
  std::atomic<uint32_t> started{0};
  uint32_t failed_at = 0;  // lanes that threads could not be started for
  std::atomic<bool> busy{false};

  // The number of the job in the upper half, of its lanes that nobody has taken yet in the lower. A thread that takes a
  // lane keeps the job from ending, so only then may it read the members below.
  std::atomic<uint64_t> tickets{0};
  uint32_t lanes = 0;
  Body body = nullptr;
  void* job = nullptr;
  uint64_t mode = 0;  // the caller's float_mode: what comes out does not depend on who computes it

  std::atomic<uint32_t> signal{0};  // raised for every job and at the end: what threads sleep on
  std::atomic<uint32_t> sleepers{0};
  std::atomic<uint32_t> unfinished{0};  // lanes: what the caller sleeps on
  std::atomic<bool> caller_sleeps{false};
  std::atomic<bool> ends{false};

  // Takes a lane of the job that is open. Returns whether there was one.
  bool take(uint32_t* lane) {
    uint64_t seen = tickets.load(std::memory_order_acquire);
    while (static_cast<uint32_t>(seen) != 0) {
      if (tickets.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel, std::memory_order_acquire)) {
        *lane = lanes - static_cast<uint32_t>(seen);
        return true;
      }
    }
    return false;
  }

  void finish() {
    if (unfinished.fetch_sub(1) == 1 && caller_sleeps.load()) futex_wake(&unfinished, 1);
  }

  void work() {
    for (;;) {
      const uint32_t seen = signal.load(std::memory_order_acquire);
      if (ends.load(std::memory_order_acquire)) return;
      for (uint32_t lane = 0; take(&lane);) {
        set_float_mode(mode);
        body(job, lane);
        finish();
      }
      int spins = 0;
      while (signal.load(std::memory_order_acquire) == seen && ++spins < kSpins) pause_briefly();
      if (spins < kSpins) continue;
      sleepers.fetch_add(1);
      futex_wait(&signal, seen);
      sleepers.fetch_sub(1);
    }
  }

  void wake(int count) {
    signal.fetch_add(1);
    if (sleepers.load() > 0) futex_wake(&signal, count);
  }

  static void* enter(void* self) {
    static_cast<Crew*>(self)->work();
    return nullptr;
  }

  // By the holder of `busy` only. Signals of the process are not for these threads.
  void start(uint32_t wanted) {
    uint32_t count = started.load(std::memory_order_relaxed);
    if (count >= wanted || (failed_at != 0 && count + 1 >= failed_at)) return;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (; count < wanted; ++count) {
      if (pthread_create(&handles[count], nullptr, enter, this) != 0) {
        failed_at = count + 1;
        break;
      }
      char name[16];
      snprintf(name, sizeof(name), "gantry-%u", (count + 1) % 10000);
      pthread_setname_np(handles[count], name);
      started.store(count + 1, std::memory_order_relaxed);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void run(uint32_t count, Body what, void* with) {
    lanes = count;
    body = what;
    job = with;
    mode = float_mode();
    unfinished.store(count, std::memory_order_relaxed);
    const uint64_t number = (tickets.load(std::memory_order_relaxed) >> 32) + 1;
    tickets.store(number << 32 | count, std::memory_order_release);
    wake(static_cast<int>(count - 1));
    for (uint32_t lane = 0; take(&lane);) {
      what(with, lane);
      finish();
    }
    for (int spins = 0;;) {
      uint32_t left = unfinished.load(std::memory_order_acquire);
      if (left == 0) return;
      if (++spins < kSpins) {
        pause_briefly();
        continue;
      }
      caller_sleeps.store(true);
      while ((left = unfinished.load()) != 0) futex_wait(&unfinished, left);
      caller_sleeps.store(false);
      return;
    }
  }
};

Pool::~Pool() {
  Crew* crew = crew_.load(std::memory_order_acquire);
  if (crew != nullptr && crew->forks == forks.load(std::memory_order_relaxed)) {
    crew->ends.store(true, std::memory_order_release);
    crew->wake(static_cast<int>(threads_));
    const uint32_t started = crew->started.load(std::memory_order_relaxed);
    for (uint32_t k = 0; k < started; ++k) pthread_join(crew->handles[k], nullptr);
  }
  while (crew != nullptr) {
    Crew* const parent = crew->parent;
    delete[] crew->handles;
    delete crew;
    crew = parent;
  }
}

uint32_t Pool::started() const {
  const Crew* crew = crew_.load(std::memory_order_acquire);
  if (crew == nullptr || crew->forks != forks.load(std::memory_order_relaxed)) return 0;
  return crew->started.load(std::memory_order_relaxed);
}

Pool::Crew* Pool::current_crew() {
  const uint32_t now = forks.load(std::memory_order_relaxed);
  Crew* seen = crew_.load(std::memory_order_acquire);
  if (seen != nullptr && seen->forks == now) return seen;
  Crew* const fresh = new (std::nothrow) Crew;
  pthread_t* const handles = new (std::nothrow) pthread_t[threads_];
  if (fresh != nullptr && handles != nullptr) {
    fresh->forks = now;
    fresh->parent = seen;
    fresh->handles = handles;
    if (crew_.compare_exchange_strong(seen, fresh, std::memory_order_acq_rel, std::memory_order_acquire)) return fresh;
    delete[] handles;
    delete fresh;
    return seen;  // another thread was faster
  }
  delete[] handles;
  delete fresh;
  return nullptr;
}

void Pool::run(uint32_t lanes, Body body, void* job) {
  if (lanes > 1 && threads_ > 1) {
    Crew* const crew = current_crew();
    if (crew != nullptr && !crew->busy.exchange(true, std::memory_order_acquire)) {
      crew->start(lanes - 1 < threads_ - 1 ? lanes - 1 : threads_ - 1);
      crew->run(lanes, body, job);
      crew->busy.store(false, std::memory_order_release);
      return;
    }
  }
  for (uint32_t lane = 0; lane < lanes; ++lane) body(job, lane);
}

}  // namespace gantry
