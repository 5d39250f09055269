/* A process whose threads have worked ends by itself, also when nobody closed the context. */
#define _POSIX_C_SOURCE 200809L

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

int main(void) {
  int outcome = -1;
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    gantry_context* const context = open_with_threads();
    CHECK(gather_many(context));
    alarm(5); /* it takes a millisecond; the rest is for machines that are busy */
    exit(0);
  }
  CHECK(waitpid(child, &outcome, 0) == child);
  CHECK(!WIFSIGNALED(outcome) || WTERMSIG(outcome) != SIGALRM);
  CHECK(WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0);
  return 0;
}
