// Segments among several threads and processes: races, forks, creators that have ended.
#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <thread>

#include "segment/creator.h"
#include "segment/header.h"
#include "support.h"

namespace {

using namespace gantry_test;

TEST(SegmentCreator, KnowsItself) {
  const gantry::Creator self = gantry::current_process();
  EXPECT_EQ(getpid(), self.pid);
  EXPECT_GT(self.start_ticks, 0u);
  EXPECT_GT(self.pid_namespace, 0u);
  EXPECT_EQ(1, gantry::is_alive(self));
}

TEST(SegmentCreator, ANumberThatIsUsedAgainIsAnotherProcess) {
  gantry::Creator earlier = gantry::current_process();
  earlier.start_ticks -= 1;
  EXPECT_EQ(0, gantry::is_alive(earlier));
}

TEST(SegmentCreator, OfAnotherNamespaceNothingIsKnown) {
  gantry::Creator elsewhere = gantry::current_process();
  elsewhere.pid_namespace += 1;
  EXPECT_EQ(-1, gantry::is_alive(elsewhere));
}

TEST(SegmentCreator, EndedProcessesAreNotAlive) {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  gantry::Creator creator{};
  creator.pid = child;
  EXPECT_EQ(1, gantry::is_alive(creator));
  kill(child, SIGKILL);
  siginfo_t info{};
  ASSERT_EQ(0, waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT));
  EXPECT_EQ(0, gantry::is_alive(creator)) << "a zombie has ended";
  waitpid(child, nullptr, 0);
  EXPECT_EQ(0, gantry::is_alive(creator));
  for (const int32_t pid : {0, -1, INT32_MIN}) {
    creator.pid = pid;
    EXPECT_EQ(0, gantry::is_alive(creator));
  }
}

struct Listing {
  std::vector<gantry_segment_info> infos;
  int end_after = -1;

  static int visit(void* user, const gantry_segment_info* info) {
    auto* listing = static_cast<Listing*>(user);
    const std::string prefix = "/gantry-test." + std::to_string(getpid()) + ".";
    if (std::strncmp(info->name, prefix.c_str(), prefix.size()) == 0) {
      listing->infos.push_back(*info);
    }
    return --listing->end_after == 0 ? 1 : 0;
  }
};

TEST(SegmentList, HasNameBytesAndCreator) {
  const TestName name;
  const Storage storage = create(name.get(), layout_of(3, 4));
  Listing listing;
  ASSERT_EQ(GANTRY_OK, gantry_segment_list(Listing::visit, &listing)) << gantry_last_error();
  ASSERT_EQ(1u, listing.infos.size());
  const gantry_segment_info& info = listing.infos[0];
  EXPECT_EQ(sizeof info, info.struct_size);
  EXPECT_STREQ(name.get(), info.name);
  EXPECT_EQ(4096u + 48u, info.bytes);
  EXPECT_EQ(getpid(), info.creator);
  EXPECT_EQ(1, info.creator_alive);
}

TEST(SegmentList, TellsOfSegmentsWhoseCreatorHasEnded) {
  const TestName name;
  const std::string text = name.get();
  ASSERT_EQ(0, run_in_child([&] {
              CHILD_CHECK(create(text.c_str(), layout_of(3, 4)) != nullptr);
              return 0;
            }));
  Listing listing;
  ASSERT_EQ(GANTRY_OK, gantry_segment_list(Listing::visit, &listing));
  ASSERT_EQ(1u, listing.infos.size());
  EXPECT_NE(getpid(), listing.infos[0].creator);
  EXPECT_EQ(0, listing.infos[0].creator_alive);
  EXPECT_NE(nullptr, attach(name.get())) << "the rows are still there";
}

TEST(SegmentList, EndsWhenAskedTo) {
  const TestName names[3];
  std::vector<Storage> storages;
  for (const TestName& name : names) {
    storages.push_back(create(name.get(), layout_of(1, 1)));
  }
  int visits = 0;
  ASSERT_EQ(GANTRY_OK, gantry_segment_list(
                           [](void* user, const gantry_segment_info*) {
                             ++*static_cast<int*>(user);
                             return 7;
                           },
                           &visits));
  EXPECT_EQ(1, visits);
  EXPECT_EQ(GANTRY_ERROR_INVALID_ARGUMENT, gantry_segment_list(nullptr, nullptr));
}

TEST(SegmentList, LeavesOutWhatIsNoSegmentAndHasWhatIsUnfinished) {
  const TestName other;
  FILE* file = std::fopen(other.path().c_str(), "w");
  ASSERT_NE(nullptr, file);
  std::fputs("something of the same name, long enough to be a header of a segment", file);
  std::fclose(file);
  const TestName pipe;
  ASSERT_EQ(0, mkfifo(pipe.path().c_str(), 0600));
  const TestName unfinished;
  gantry::SegmentHeader header{};
  header.magic = gantry::kMagicUnfinished;
  header.creator.pid = getpid();
  file = std::fopen(unfinished.path().c_str(), "w");
  ASSERT_NE(nullptr, file);
  std::fwrite(&header, sizeof header, 1, file);
  std::fclose(file);
  Listing listing;
  ASSERT_EQ(GANTRY_OK, gantry_segment_list(Listing::visit, &listing));
  ASSERT_EQ(1u, listing.infos.size());
  EXPECT_STREQ(unfinished.get(), listing.infos[0].name);
}

TEST(SegmentFork, TheChildHasTheRowsAndItsOwnEnd) {
  const Storage storage = create(nullptr, layout_of(4, 4));
  ASSERT_NE(nullptr, storage);
  ASSERT_EQ(0, run_in_child([&] {
              floats(storage)[5] = 3.0f;
              const Storage again = attach(gantry_segment_fd(storage.get()));
              CHILD_CHECK(again != nullptr && floats(again)[5] == 3.0f);
              gantry_storage_release(storage.get());
              return 0;
            }));
  EXPECT_EQ(3.0f, floats(storage)[5]);
}

// Of many that create one exclusive name at once exactly one succeeds, and who attaches sees whole segments only.
TEST(SegmentRace, OneOfManyGetsAnExclusiveName) {
  for (int round = 0; round < 20; ++round) {
    const TestName name;
    std::atomic<int> created{0};
    std::atomic<int> wrong{0};
    std::atomic<bool> go{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
      threads.emplace_back([&, t] {
        while (!go) {
          std::this_thread::yield();
        }
        if (t % 2 == 0) {
          created += create(name.get(), layout_of(64, 16), GANTRY_SEGMENT_EXCLUSIVE) != nullptr ? 1 : 0;
        } else {
          for (int i = 0; i < 10; ++i) {
            const Storage storage = attach(name.get());
            const bool absent = std::strstr(gantry_last_error(), "there is no segment named") != nullptr;
            wrong += storage == nullptr ? !absent : gantry_storage_bytes(storage.get()) != 64 * 16 * 4;
          }
        }
      });
    }
    go = true;
    for (std::thread& thread : threads) {
      thread.join();
    }
    EXPECT_EQ(1, created);
    EXPECT_EQ(0, wrong);
    EXPECT_EQ(1u, own_files().size());
  }
}

// Processes replace a segment again and again while others attach: every attacher sees one of them whole.
TEST(SegmentRace, ReplacingIsAtomicBetweenProcesses) {
  const TestName name;
  ASSERT_NE(nullptr, create(name.get(), layout_of(1, 8))) << gantry_last_error();
  std::vector<pid_t> writers;
  for (int w = 0; w < 2; ++w) {
    const pid_t child = fork();
    if (child == 0) {
      for (int i = 1; i < 200; ++i) {
        if (create(name.get(), layout_of(1 + i % 7, 8)) == nullptr) {
          _exit(1);
        }
      }
      _exit(own_files().empty() ? 0 : 2);
    }
    writers.push_back(child);
  }
  int attached = 0;
  for (size_t ended = 0; ended < writers.size();) {
    const Storage storage = attach(name.get());
    ASSERT_NE(nullptr, storage) << gantry_last_error();
    gantry_tensor view{};
    view.struct_size = sizeof view;
    ASSERT_EQ(GANTRY_OK, gantry_segment_view(storage.get(), &view));
    EXPECT_EQ(view.shape[0] * 32, static_cast<int64_t>(gantry_storage_bytes(storage.get())));
    EXPECT_EQ(0.0f, floats(storage)[view.shape[0] * 8 - 1]);
    ++attached;
    int status = 0;
    if (waitpid(writers[ended], &status, WNOHANG) == writers[ended]) {
      EXPECT_EQ(0, status);
      ++ended;
    }
  }
  EXPECT_GT(attached, 0);
  EXPECT_EQ(1u, own_files().size());
}

}  // namespace
