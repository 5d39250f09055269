/* A child of fork uses the context of its parent, whose threads it does not have. */
#define _POSIX_C_SOURCE 200809L

#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

int main(void) {
#if defined(__SANITIZE_THREAD__)
  fputs("skipped: the thread sanitizer cannot follow threads that a forked child starts\n", stderr);
  return 77;
#elif defined(__SANITIZE_ADDRESS__)
  fputs("skipped: the address sanitizer's allocator may be locked in a child of several threads\n", stderr);
  return 77;
#else
  gantry_context* const context = open_with_threads();
  int round;
  CHECK(gather_many(context));
  for (round = 0; round < 5; ++round) {
    int outcome = -1;
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      alarm(5); /* a child that waits for a thread that it does not have is ended */
      CHECK(gather_many(context));
      CHECK(gantry_close(context) == GANTRY_OK);
      exit(0);
    }
    CHECK(gather_many(context));
    CHECK(waitpid(child, &outcome, 0) == child);
    CHECK(WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0);
  }
  CHECK(gantry_close(context) == GANTRY_OK);
  return 0;
#endif
}
