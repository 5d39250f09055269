/**
 * A C program that finds out what a machine can do at most: bytes copied between two buffers that no cache holds, and
 * multiplications with additions in single precision, each on one thread and on all. Arguments: bytes of a buffer, threads.
 * The best of several rounds is printed: everything that disturbs makes a round slower, nothing makes it faster. Copies are
 * tried as the C library makes them and with stores past the cache, which save reading what is overwritten.
 */
export const probeSource = String.raw`#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#if defined(__AVX512F__)
#define WIDTH 64
#elif defined(__AVX__)
#define WIDTH 32
#else
#define WIDTH 16
#endif
typedef float vector __attribute__((vector_size(WIDTH)));
enum { CHAINS = 12, STEPS = 2000000 };

enum work { TOUCH, COPY, STREAM, COMPUTE };
struct share { char *to; const char *from; size_t bytes; enum work work; float result; };
static atomic_int waiting, go;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stream(char *to, const char *from, size_t bytes) {
#ifdef __SSE2__
  for (size_t at = 0; at + 64 <= bytes; at += 64) {
    __m128i a = _mm_load_si128((const __m128i *)(from + at)), b = _mm_load_si128((const __m128i *)(from + at + 16));
    __m128i c = _mm_load_si128((const __m128i *)(from + at + 32)), d = _mm_load_si128((const __m128i *)(from + at + 48));
    _mm_stream_si128((__m128i *)(to + at), a);
    _mm_stream_si128((__m128i *)(to + at + 16), b);
    _mm_stream_si128((__m128i *)(to + at + 32), c);
    _mm_stream_si128((__m128i *)(to + at + 48), d);
  }
  _mm_sfence();
#else
  memcpy(to, from, bytes);
#endif
}

static float compute(void) {
  vector sums[CHAINS], factor, term;
  for (size_t lane = 0; lane < WIDTH / sizeof(float); ++lane) {
    factor[lane] = 0.999f + 1e-6f * (float)(rand() & 7);
    term[lane] = 1e-3f;
  }
  for (int chain = 0; chain < CHAINS; ++chain) sums[chain] = factor * (float)chain;
  for (long step = 0; step < STEPS; ++step)
    for (int chain = 0; chain < CHAINS; ++chain) sums[chain] = sums[chain] * factor + term;
  float sum = 0;
  for (int chain = 0; chain < CHAINS; ++chain)
    for (size_t lane = 0; lane < WIDTH / sizeof(float); ++lane) sum += sums[chain][lane];
  return sum;
}

static void *run(void *argument) {
  struct share *share = argument;
  atomic_fetch_add(&waiting, 1);
  while (!atomic_load(&go)) {}
  switch (share->work) {
    case TOUCH: memset(share->to, 1, share->bytes); memset((char *)share->from, 2, share->bytes); break;
    case COPY: memcpy(share->to, share->from, share->bytes); break;
    case STREAM: stream(share->to, share->from, share->bytes); break;
    case COMPUTE: share->result = compute(); break;
  }
  return NULL;
}

static float sink;

static double timed(char *to, const char *from, size_t bytes, int threads, enum work work) {
  pthread_t ids[threads];
  struct share shares[threads];
  size_t each = bytes / (size_t)threads / 4096 * 4096;
  atomic_store(&waiting, 0);
  atomic_store(&go, 0);
  for (int i = 0; i < threads; ++i) {
    shares[i] = (struct share){to + (size_t)i * each, from + (size_t)i * each, each, work, 0};
    if (pthread_create(&ids[i], NULL, run, &shares[i]) != 0) exit(3);
  }
  while (atomic_load(&waiting) < threads) {}
  double begin = now();
  atomic_store(&go, 1);
  for (int i = 0; i < threads; ++i) pthread_join(ids[i], NULL);
  double seconds = now() - begin;
  for (int i = 0; i < threads; ++i) sink += shares[i].result;
  return work == COMPUTE ? 2.0 * STEPS * CHAINS * (WIDTH / sizeof(float)) * threads / seconds : 2.0 * (double)each * threads / seconds;
}

static double best(char *to, const char *from, size_t bytes, int threads, enum work work) {
  double most = 0, begin = now();
  for (int round = 0; round < 5 || (now() - begin < 0.25 && round < 1000); ++round) {
    double rate = timed(to, from, bytes, threads, work);
    if (rate > most) most = rate;
  }
  return most;
}

int main(int count, char **arguments) {
  if (count != 3) return 2;
  size_t bytes = strtoull(arguments[1], NULL, 10);
  int threads = atoi(arguments[2]);
  if (threads < 1 || bytes < 4096 * (size_t)threads) return 2;
  char *memory[2];
  for (int i = 0; i < 2; ++i) {
    memory[i] = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
    if (memory[i] == MAP_FAILED) return 3;
#ifdef MADV_HUGEPAGE
    madvise(memory[i], bytes, MADV_HUGEPAGE);
#endif
  }
  timed(memory[0], memory[1], bytes, threads, TOUCH);
  double copy = 0, flops = 0;
  int counts[2] = {1, threads};
  for (int i = 0; i < (threads > 1 ? 2 : 1); ++i)
    for (int work = COPY; work <= COMPUTE; ++work) {
      double rate = best(memory[0], memory[1], bytes, counts[i], (enum work)work);
      double *most = work == COMPUTE ? &flops : &copy;
      if (rate > *most) *most = rate;
    }
  if (memcmp(memory[0], memory[1], 4096) != 0 || sink != sink) return 4;
  printf("copy %.6g\nflops %.6g\n", copy, flops);
  return 0;
}
`;
