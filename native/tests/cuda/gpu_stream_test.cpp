// Streams, graphs, the record of bad indices, memory that the GPU reads over PCIe, and fork.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <thread>

#include "gpu_support.h"

namespace gantry::test {
namespace {

class Streams : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    arena_ = std::make_unique<Arena>();
    ASSERT_CUDA(cudaStreamCreateWithFlags(&second_, cudaStreamNonBlocking));
  }
  void TearDown() override {
    arena_.reset();
    if (second_ != nullptr) cudaStreamDestroy(second_);
    GpuTest::TearDown();
  }

  gantry_status gather(const Matrix& table, const IndexList& indices, const Matrix& output,
                       const gantry_options& options, gantry_stream stream) {
    const gantry_tensor chunk = table.on_device();
    const gantry_table rows = table_of(&chunk);
    const gantry_tensor index = indices.on_device();
    gantry_tensor to = output.on_device();
    return gantry_gather(context(), &rows, &index, &to, &options, arena_->environment(), stream);
  }

  // As the host computes it, into the output's host side.
  void gather_on_host(const Matrix& table, const IndexList& indices, const Matrix& output,
                      const gantry_options& options) {
    const gantry_tensor chunk = table.on_host();
    const gantry_table rows = table_of(&chunk);
    const gantry_tensor index = indices.on_host();
    gantry_tensor to = output.on_host();
    const gantry_status status = gantry_gather(context(), &rows, &index, &to, &options, nullptr, nullptr);
    ASSERT_TRUE(status == GANTRY_OK || status == GANTRY_ERROR_INDEX) << gantry_last_error();
  }

  std::unique_ptr<Arena> arena_;
  cudaStream_t second_ = nullptr;
};

TEST_F(Streams, NullIsRefusedAndTheNamedOnesWork) {
  Matrix table(10, 8, kSingle);
  table.fill_random(&random_);
  const IndexList indices(shuffled(10, &random_), 64);
  const gantry_options options = options_with(GANTRY_BOUNDS_ERROR);
  Matrix refused(10, 8, kSingle);
  EXPECT_EQ(gather(table, indices, refused, options, nullptr), GANTRY_ERROR_INVALID_ARGUMENT);
  for (const gantry_stream stream : {GANTRY_STREAM_LEGACY, GANTRY_STREAM_PER_THREAD}) {
    Matrix output(10, 8, kSingle);
    ASSERT_OK(gather(table, indices, output, options, stream));
    ASSERT_CUDA(cudaStreamSynchronize(static_cast<cudaStream_t>(stream)));
    gather_on_host(table, indices, output, options);
    EXPECT_EQ(output.download(), output.host());
    EXPECT_EQ(gantry_check(context(), 0, stream, nullptr), GANTRY_OK);
  }
}

// What one stream writes another reads, ordered by an event.
TEST_F(Streams, TwoInOrder) {
  Matrix table(3000, 64, kSingle);
  table.fill_random(&random_);
  const IndexList first(random_indices(200000, 3000, &random_), 64);
  const IndexList then(random_indices(1000, 200000, &random_), 32);
  Matrix middle(200000, 64, kSingle);
  Matrix output(1000, 64, kSingle);
  const gantry_options options = options_with(GANTRY_BOUNDS_ERROR);
  cudaEvent_t event = nullptr;
  ASSERT_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  ASSERT_OK(gather(table, first, middle, options, stream()));
  ASSERT_CUDA(cudaEventRecord(event, static_cast<cudaStream_t>(stream())));
  ASSERT_CUDA(cudaStreamWaitEvent(second_, event, 0));
  ASSERT_OK(gather(middle, then, output, options, second_));
  ASSERT_CUDA(cudaStreamSynchronize(second_));
  ASSERT_CUDA(cudaEventDestroy(event));
  gather_on_host(table, first, middle, options);
  gather_on_host(middle, then, output, options);
  EXPECT_EQ(output.download(), output.host());
}

TEST_F(Streams, TheRecordIsTheStreamsOwnAndIsReadOnce) {
  Matrix table(10, 3, kSingle);
  table.fill_random(&random_);
  const gantry_options options = options_with(GANTRY_BOUNDS_ERROR);
  std::vector<int64_t> values(500, 4);
  values[499] = 10;
  values[321] = -2;
  values[400] = 77;
  const IndexList bad(values, 64);
  Matrix output(500, 3, kSingle);
  ASSERT_OK(gather(table, bad, output, options, stream()));
  gantry_stats stats{};
  stats.struct_size = sizeof stats;
  EXPECT_EQ(gantry_check(context(), 0, second_, &stats), GANTRY_OK);
  EXPECT_EQ(stats.bad_rows, 0);
  EXPECT_EQ(stats.first_bad_position, -1);
  EXPECT_EQ(gantry_check(context(), 0, stream(), &stats), GANTRY_ERROR_INDEX);
  EXPECT_STREQ(gantry_last_error(),
               "index -2 at position 321 was outside of its table; 3 such indices since the last check of this stream");
  EXPECT_EQ(stats.bad_rows, 3);
  EXPECT_EQ(stats.first_bad_position, 321);
  EXPECT_EQ(stats.first_bad_value, -2);
  EXPECT_EQ(gantry_check(context(), 0, stream(), &stats), GANTRY_OK);
  EXPECT_EQ(stats.bad_rows, 0);
  // The other rows are moved all the same, and no other policy records.
  gather_on_host(table, bad, output, options);
  const std::vector<char> seen = output.download();
  EXPECT_EQ(std::memcmp(seen.data(), output.host().data(), 321 * 12), 0);
  for (const gantry_bounds bounds : {GANTRY_BOUNDS_SKIP, GANTRY_BOUNDS_ZERO, GANTRY_BOUNDS_CLAMP}) {
    ASSERT_OK(gather(table, bad, output, options_with(bounds), stream()));
  }
  EXPECT_EQ(gantry_check(context(), 0, stream(), nullptr), GANTRY_OK);
  // A device that is not there.
  EXPECT_EQ(gantry_check(context(), 1000, stream(), nullptr), GANTRY_ERROR_INVALID_ARGUMENT);
}

TEST_F(Streams, ManyStreamsHaveRecords) {
  Matrix table(4, 4, kSingle);
  table.fill_random(&random_);
  Matrix output(1, 4, kSingle);
  std::vector<cudaStream_t> streams(150);
  for (cudaStream_t& stream : streams) ASSERT_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (size_t i = 0; i < streams.size(); ++i) {
    const IndexList indices({static_cast<int64_t>(100 + i)}, 64);
    ASSERT_OK(gather(table, indices, output, options_with(GANTRY_BOUNDS_ERROR), streams[i]));
    ASSERT_CUDA(cudaStreamSynchronize(streams[i]));
  }
  for (size_t i = 0; i < streams.size(); ++i) {
    gantry_stats stats{};
    stats.struct_size = sizeof stats;
    ASSERT_EQ(gantry_check(context(), 0, streams[i], &stats), GANTRY_ERROR_INDEX);
    ASSERT_EQ(stats.first_bad_value, static_cast<int64_t>(100 + i));
    ASSERT_CUDA(cudaStreamDestroy(streams[i]));
  }
}

// Every op inside a graph, the first op on the stream among them: nothing is allocated and nothing waits. A replay
// reads what the memory holds then.
TEST_F(Streams, Graph) {
  Matrix table(100, 33, kSingle);
  table.fill_numbers(&random_);
  IndexList indices(random_indices(900, 100, &random_), 64);
  Matrix output(900, 33, kSingle);
  Matrix sums(100, 33, kSingle);
  sums.fill_numbers(&random_);
  const gantry_options plain = options_with(GANTRY_BOUNDS_ERROR);
  gantry_options ordered = plain;
  ordered.deterministic = GANTRY_ALWAYS;
  const auto stream = static_cast<cudaStream_t>(this->stream());

  const gantry_tensor sums_chunk = sums.on_device();
  const gantry_table sums_table = table_of(&sums_chunk);
  const gantry_tensor index = indices.on_device();
  const gantry_tensor rows = output.on_device();
  ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  ASSERT_OK(gather(table, indices, output, plain, stream));
  ASSERT_OK(gantry_scatter_add(context(), &rows, &index, &sums_table, &ordered, arena_->environment(), stream));
  // What needs an answer from the GPU cannot be had now, and leaves the capture as it is.
  gantry_stats stats{};
  EXPECT_EQ(gather(table, indices, output, options_with(GANTRY_BOUNDS_ERROR, &stats), stream), GANTRY_ERROR_CAPTURE);
  EXPECT_EQ(gantry_check(context(), 0, stream, nullptr), GANTRY_ERROR_CAPTURE);
  cudaGraph_t graph = nullptr;
  ASSERT_CUDA(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable = nullptr;
  ASSERT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  ASSERT_CUDA(cudaGraphDestroy(graph));

  for (int replay = 0; replay < 3; ++replay) {
    std::vector<int64_t> values = random_indices(900, 100, &random_);
    if (replay == 2) values[5] = 100;
    indices.change(values, stream);
    ASSERT_CUDA(cudaGraphLaunch(executable, stream));
    ASSERT_CUDA(cudaStreamSynchronize(stream));
    EXPECT_EQ(gantry_check(context(), 0, stream, nullptr), replay == 2 ? GANTRY_ERROR_INDEX : GANTRY_OK);
    if (replay == 2) continue;
    gather_on_host(table, indices, output, plain);
    ASSERT_EQ(output.download(), output.host()) << replay;
    const gantry_tensor host_sums = sums.on_host();
    const gantry_table host_table = table_of(&host_sums);
    const gantry_tensor host_index = indices.on_host();
    const gantry_tensor host_rows = output.on_host();
    ASSERT_OK(gantry_scatter_add(context(), &host_rows, &host_index, &host_table, &ordered, nullptr, nullptr));
    ASSERT_EQ(sums.download(), sums.host()) << replay;
  }
  ASSERT_CUDA(cudaGraphExecDestroy(executable));
}

// A table in memory of the host that the GPU reads, by every way to get some.
class PinnedTable : public Streams {
 protected:
  // Gathers from `table`, which is host memory, into memory of the GPU.
  void check(const gantry_tensor& table) {
    gantry_tensor on_host = table;
    on_host.device = {GANTRY_DEVICE_HOST, 0};
    const gantry_table host_table = table_of(&on_host);
    const gantry_table device_table = table_of(&table);
    const int64_t rows = table.shape[0];
    for (const gantry_choice sorted : {GANTRY_AUTO, GANTRY_NEVER, GANTRY_ALWAYS}) {
      const IndexList indices(random_indices(6000, rows, &random_), 64);
      Matrix output(6000, table.shape[1], table.dtype);
      gantry_options options = options_with(GANTRY_BOUNDS_ERROR);
      options.sorted = sorted;
      const gantry_tensor index = indices.on_device();
      gantry_tensor to = output.on_device();
      arena_->scratch_bytes = 0;
      ASSERT_OK(gantry_gather(context(), &device_table, &index, &to, &options, arena_->environment(), stream()));
      wait();
      // Sorted by itself because the table is narrow and on the other side of PCIe.
      ASSERT_EQ(arena_->scratch_bytes != 0, sorted != GANTRY_NEVER);
      const gantry_tensor host_index = indices.on_host();
      to = output.on_host();
      ASSERT_OK(gantry_gather(context(), &host_table, &host_index, &to, &options, nullptr, nullptr));
      ASSERT_EQ(output.download(), output.host()) << sorted;
    }
  }
};

TEST_F(PinnedTable, FromThePinnedEnvironment) {
  const gantry_environment* pinned = nullptr;
  ASSERT_OK(gantry_environment_pinned(context(), &pinned));
  gantry_storage* storage = nullptr;
  ASSERT_OK(gantry_storage_create(pinned, 1000 * 64, 4096, {GANTRY_DEVICE_CUDA_HOST, 0}, nullptr, 0, &storage));
  cudaPointerAttributes attributes{};
  ASSERT_CUDA(cudaPointerGetAttributes(&attributes, gantry_storage_data(storage)));
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  char* data = static_cast<char*>(gantry_storage_data(storage));
  for (int64_t i = 0; i < 1000 * 64; ++i) data[i] = static_cast<char>(random_());
  const int64_t shape[] = {1000, 16};
  gantry_tensor table{};
  table.struct_size = sizeof table;
  table.data = data;
  table.shape = shape;
  table.ndim = 2;
  table.dtype = kSingle;
  table.device = {GANTRY_DEVICE_CUDA_HOST, 0};
  check(table);
  gantry_storage_release(storage);
}

TEST_F(PinnedTable, FromASharedSegment) {
  gantry_segment_layout layout{};
  layout.struct_size = sizeof layout;
  layout.dtype = kSingle;
  layout.rows = 700;
  layout.columns = 12;
  gantry_storage* segment = nullptr;
  ASSERT_OK(gantry_segment_create(nullptr, &layout, 0, &segment));
  ASSERT_OK(gantry_storage_pin(context(), segment));
  // Once more is no error.
  ASSERT_OK(gantry_storage_pin(context(), segment));
  gantry_tensor table{};
  table.struct_size = sizeof table;
  ASSERT_OK(gantry_segment_view(segment, &table));
  EXPECT_EQ(table.device.type, GANTRY_DEVICE_CUDA_HOST);
  for (int64_t i = 0; i < 700 * 12 * 4; ++i) static_cast<char*>(table.data)[i] = static_cast<char>(random_());
  check(table);
  void* data = table.data;
  gantry_storage_release(segment);
  cudaPointerAttributes attributes{};
  ASSERT_CUDA(cudaPointerGetAttributes(&attributes, data));
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
}

TEST_F(PinnedTable, MemoryThatIsNotPinnedIsRefused) {
  std::vector<float> memory(100 * 8);
  const int64_t shape[] = {100, 8};
  gantry_tensor table{};
  table.struct_size = sizeof table;
  table.data = memory.data();
  table.shape = shape;
  table.ndim = 2;
  table.dtype = kSingle;
  table.device = {GANTRY_DEVICE_CUDA_HOST, 0};
  const gantry_table rows = table_of(&table);
  const IndexList indices({1, 2, 3}, 64);
  Matrix output(3, 8, kSingle);
  const gantry_tensor index = indices.on_device();
  gantry_tensor to = output.on_device();
  EXPECT_EQ(gantry_gather(context(), &rows, &index, &to, nullptr, arena_->environment(), stream()),
            GANTRY_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(gantry_last_error()).find("is declared pinned, and CUDA does not know it"), std::string::npos)
      << gantry_last_error();
}

// One context, asked for the first time by many threads at once, each with a stream and a record of its own.
TEST_F(Streams, Threads) {
  gantry_context* shared = nullptr;
  ASSERT_OK(gantry_open(GANTRY_ABI_VERSION, nullptr, &shared));
  Matrix table(200, 24, kSingle);
  table.fill_random(&random_);
  std::atomic<int> wrong{0};
  const auto work = [&](int number) {
    std::mt19937_64 random(static_cast<uint64_t>(number));
    Arena arena(size_t{1} << 20);
    cudaStream_t stream = nullptr;
    gantry_backend_info info{};
    info.struct_size = sizeof info;
    if (gantry_backend_query(shared, GANTRY_BACKEND_CUDA, &info) != GANTRY_OK ||
        info.reason != GANTRY_REASON_AVAILABLE ||
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) {
      ++wrong;
      return;
    }
    for (int i = 0; i < 20; ++i) {
      std::vector<int64_t> values = random_indices(300, 200, &random);
      values[static_cast<size_t>(number)] = 1000 + number;
      const IndexList indices(values, 64);
      Matrix output(300, 24, kSingle);
      const gantry_tensor chunk = table.on_device();
      const gantry_table rows = table_of(&chunk);
      const gantry_tensor index = indices.on_device();
      gantry_tensor to = output.on_device();
      gantry_stats stats{};
      stats.struct_size = sizeof stats;
      if (gantry_gather(shared, &rows, &index, &to, nullptr, arena.environment(), stream) != GANTRY_OK) ++wrong;
      if (gantry_check(shared, 0, stream, &stats) != GANTRY_ERROR_INDEX || stats.first_bad_position != number ||
          stats.first_bad_value != 1000 + number || stats.bad_rows != 1) {
        ++wrong;
      }
      const std::vector<char> seen = output.download();
      for (int64_t k = 0; k < 300; ++k) {
        if (k != number && std::memcmp(seen.data() + k * 96, table.row(values[static_cast<size_t>(k)]), 96) != 0)
          ++wrong;
      }
    }
    cudaStreamDestroy(stream);
  };
  std::vector<std::thread> threads;
  for (int number = 0; number < 6; ++number) threads.emplace_back(work, number);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  EXPECT_EQ(gantry_close(shared), GANTRY_OK);
}

TEST_F(Streams, AForkedChildIsTold) {
  Matrix table(4, 4, kSingle);
  table.fill_random(&random_);
  const IndexList indices({1}, 64);
  Matrix output(1, 4, kSingle);
  const pid_t parent = getpid();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    gantry_backend_info info{};
    info.struct_size = sizeof info;
    const std::string start =
        "Process " + std::to_string(getpid()) + " was forked from process " + std::to_string(parent) + ", ";
    const bool told = gantry_backend_query(context(), GANTRY_BACKEND_CUDA, &info) == GANTRY_OK &&
                      info.reason == GANTRY_REASON_DRIVER_ERROR && info.driver_code == 3 &&
                      std::string(info.text).find(start) == 0;
    const bool refused = gather(table, indices, output, options_with(GANTRY_BOUNDS_ERROR), stream()) ==
                             GANTRY_ERROR_BACKEND_UNAVAILABLE &&
                         std::string(gantry_last_error()) == info.text;
    const bool closed = gantry_close(context()) == GANTRY_OK;
    _exit(told && refused && closed ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  // The parent goes on.
  ASSERT_OK(gather(table, indices, output, options_with(GANTRY_BOUNDS_ERROR), stream()));
  EXPECT_EQ(gantry_check(context(), 0, stream(), nullptr), GANTRY_OK);
}

}  // namespace
}  // namespace gantry::test
