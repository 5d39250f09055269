#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include <string>

extern char** environ;

namespace {

int exit_code_of(const char* mode) {
  std::string program = GANTRY_EXIT_PROGRAM;
  std::string argument = mode;
  char* arguments[] = {program.data(), argument.data(), nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments, environ) != 0) return -1;
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(Exit, FromMainWithoutEndingTheBackend) { EXPECT_EQ(exit_code_of("return"), 11); }
TEST(Exit, BeforeTheBackendsEnd) { EXPECT_EQ(exit_code_of("exit"), 12); }
TEST(Exit, ByAStaticDestructor) { EXPECT_EQ(exit_code_of("static"), 13); }
TEST(Exit, WhileAnOpRuns) { EXPECT_EQ(exit_code_of("working"), 14); }
TEST(Exit, WithAnOpAtExit) { EXPECT_EQ(exit_code_of("atexit"), 15); }

}  // namespace
