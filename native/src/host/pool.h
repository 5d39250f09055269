// Threads that share one op at a time.
#ifndef GANTRY_HOST_POOL_H
#define GANTRY_HOST_POOL_H

#include <stdint.h>

#include <atomic>

namespace gantry {

// Threads start at the first job. A job is a number of lanes; the caller works on them too, so that a job ends even if
// no thread ever comes. After fork the child finds its pool without threads and free, whatever the parent was doing,
// and starts its own. Nothing of it is needed, or waited for, when the process ends.
class Pool {
 public:
  // `threads` counts the caller: 1 is a pool without threads.
  explicit Pool(uint32_t threads) : threads_(threads) {}
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  using Body = void (*)(void* job, uint32_t lane);

  // Calls body(job, lane) for every lane below `lanes`, each once, and returns when all have returned. The caller calls
  // them one after another when the threads are busy with another job, or could not be started.
  void run(uint32_t lanes, Body body, void* job);

  uint32_t threads() const { return threads_; }

  // Threads that have been started in this process and wait or work.
  uint32_t started() const;

 private:
  struct Crew;
  Crew* current_crew();

  const uint32_t threads_;
  std::atomic<Crew*> crew_{nullptr};
};

}  // namespace gantry

#endif
