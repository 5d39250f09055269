// Every reason for which the CUDA backend cannot be used, from a plug-in that is not there to a GPU that computes
// wrongly. The driver is fake_driver.c; the CUDA runtime, where the plug-in was built, is the real one.
#include <dlfcn.h>
#include <elf.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "../temporary.h"
#include "core/note.h"
#include "gantry/gantry.h"

namespace {

using gantry::test::TemporaryFile;

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

class Context {
 public:
  explicit Context(const char* plugin) {
    gantry_open_options options{};
    options.struct_size = sizeof options;
    options.cuda_plugin = plugin;
    EXPECT_EQ(gantry_open(GANTRY_ABI_VERSION, &options, &context_), GANTRY_OK);
  }
  ~Context() { gantry_close(context_); }
  gantry_context* get() const { return context_; }

  gantry_backend_info query() const {
    gantry_backend_info info{};
    info.struct_size = sizeof info;
    EXPECT_EQ(gantry_backend_query(context_, GANTRY_BACKEND_CUDA, &info), GANTRY_OK);
    return info;
  }

 private:
  gantry_context* context_ = nullptr;
};

gantry_backend_info query(const char* plugin) { return Context(plugin).query(); }

std::string with(std::string bytes, const std::string& from, const std::string& to) {
  EXPECT_EQ(from.size(), to.size());
  const size_t at = bytes.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  if (at != std::string::npos) bytes.replace(at, from.size(), to);
  return bytes;
}

std::string own(const char* key) { return gantry::stamp_line(gantry_build_info(), key); }

TEST(Selection, PluginAbsentNamesThePlaces) {
  unsetenv("GANTRY_CUDA_PLUGIN");
  const gantry_backend_info named = query("/nowhere/libgantry_cuda.so");
  EXPECT_EQ(named.reason, GANTRY_REASON_PLUGIN_ABSENT);
  EXPECT_STREQ(named.text,
               "There is no CUDA plug-in at /nowhere/libgantry_cuda.so, which gantry_open_options.cuda_plugin names.");
  setenv("GANTRY_CUDA_PLUGIN", "/nowhere/else.so", 1);
  const gantry_backend_info by_variable = query(nullptr);
  EXPECT_EQ(by_variable.reason, GANTRY_REASON_PLUGIN_ABSENT);
  EXPECT_STREQ(by_variable.text, "There is no CUDA plug-in at /nowhere/else.so, which GANTRY_CUDA_PLUGIN names.");
  // A name is a file of the working folder.
  EXPECT_STREQ(query("libm.so.6").text,
               "There is no CUDA plug-in at ./libm.so.6, which gantry_open_options.cuda_plugin names.");
  // The option comes before the variable.
  EXPECT_STREQ(query("/nowhere/libgantry_cuda.so").text, named.text);
  // Beside this program, which has the library's objects in it, and in the folder gantry/ there.
  unsetenv("GANTRY_CUDA_PLUGIN");
  const gantry_backend_info nowhere = query(nullptr);
  EXPECT_EQ(nowhere.reason, GANTRY_REASON_PLUGIN_ABSENT);
  const std::string text = nowhere.text;
  EXPECT_NE(text.find("/libgantry_cuda.so nor "), std::string::npos) << text;
  EXPECT_NE(text.find("/gantry/libgantry_cuda.so exists. Build Gantry where nvcc is"), std::string::npos) << text;
}

TEST(Selection, AnOpSaysTheSameAsTheQuery) {
  const Context context("/nowhere/libgantry_cuda.so");
  float memory[4] = {};
  int64_t index = 0;
  const int64_t shape[2] = {1, 4};
  gantry_tensor table{};
  table.struct_size = sizeof table;
  table.data = memory;
  table.shape = shape;
  table.ndim = 2;
  table.dtype = {GANTRY_CODE_FLOAT, 32, 1};
  table.device = {GANTRY_DEVICE_CUDA, 0};
  gantry_tensor output = table;
  float result[4] = {};
  output.data = result;
  gantry_tensor indices = table;
  indices.data = &index;
  indices.ndim = 1;
  indices.dtype = {GANTRY_CODE_INT, 64, 1};
  const gantry_table rows{sizeof(gantry_table), 1, &table};
  EXPECT_EQ(gantry_gather(context.get(), &rows, &indices, &output, nullptr, nullptr, GANTRY_STREAM_LEGACY),
            GANTRY_ERROR_BACKEND_UNAVAILABLE);
  EXPECT_STREQ(gantry_last_error(), context.query().text);
  const gantry_environment* pinned = nullptr;
  EXPECT_EQ(gantry_environment_pinned(context.get(), &pinned), GANTRY_ERROR_BACKEND_UNAVAILABLE);
  EXPECT_STREQ(gantry_last_error(), context.query().text);
  EXPECT_EQ(gantry_check(context.get(), 0, GANTRY_STREAM_LEGACY, nullptr), GANTRY_ERROR_BACKEND_UNAVAILABLE);
}

TEST(Selection, ForeignFilesAreNamedAndNotLoaded) {
  const std::string good = read_file(STAMPED_LIBRARY);
  const std::string start = "The file ";
  const auto text_of = [](const TemporaryFile& file) {
    const gantry_backend_info info = query(file.path());
    EXPECT_EQ(info.reason, GANTRY_REASON_PLUGIN_FOREIGN) << info.text;
    return std::string(info.text);
  };
  {
    const TemporaryFile file("no library\n");
    EXPECT_EQ(text_of(file), start + file.path() + " is no CUDA plug-in of this build of Gantry: it is no ELF file.");
  }
  {
    const TemporaryFile file("");
    EXPECT_EQ(text_of(file), start + file.path() + " is no CUDA plug-in of this build of Gantry: it is no ELF file.");
  }
  {
    std::string bytes = good;
    const uint16_t machine = EM_S390;
    std::memcpy(&bytes[offsetof(Elf64_Ehdr, e_machine)], &machine, sizeof machine);
    const TemporaryFile file(bytes);
    EXPECT_NE(text_of(file).find("it is for machine type 22, and this process runs on "), std::string::npos);
  }
  {
    const TemporaryFile file(good.substr(0, sizeof(Elf64_Ehdr)));
    EXPECT_NE(text_of(file).find("it is an ELF file that ends before its program headers do."), std::string::npos);
  }
  {
    const TemporaryFile file(with(good, std::string("Abiding\0schema=", 15), std::string("Abidinh\0schema=", 15)));
    EXPECT_NE(text_of(file).find("it has no stamp of Gantry's."), std::string::npos);
  }
  {
    const std::string other(own("build.id").size(), '0');
    const TemporaryFile file(with(good, "build.id=" + own("build.id"), "build.id=" + other));
    EXPECT_EQ(text_of(file),
              std::string("The CUDA plug-in ") + file.path() +
                  " is of another build than libgantry and is not loaded: its stamp has build.id=" + other +
                  " (version " + gantry_version() + "), libgantry's has build.id=" + own("build.id") + " (version " +
                  gantry_version() + "). Build and install both together.");
  }
  {
    const TemporaryFile file(with(good, "schema=1", "schema=2"));
    EXPECT_NE(text_of(file).find("its stamp has schema=2 "), std::string::npos);
  }
}

// A stamp may say anything and a file may end anywhere: never a crash, and never "available".
TEST(Selection, TruncatedFiles) {
  const std::string good = read_file(STAMPED_LIBRARY);
  for (size_t size = 0; size < good.size(); size += size < 1024 ? 1 : 257) {
    const TemporaryFile file(good.substr(0, size));
    std::string stamp;
    std::string why;
    if (gantry::read_stamp(file.path(), &stamp, &why)) {
      EXPECT_EQ(gantry::stamp_line(stamp, "build.id"), own("build.id")) << size;
    } else {
      EXPECT_FALSE(why.empty()) << size;
    }
    const gantry_backend_info info = query(file.path());
    EXPECT_TRUE(info.reason == GANTRY_REASON_PLUGIN_FOREIGN || info.reason == GANTRY_REASON_PLUGIN_UNLOADABLE)
        << size << ": " << info.text;
  }
}

// How many bytes of a library the loader maps.
size_t mapped_bytes(const std::string& library) {
  Elf64_Ehdr header{};
  std::memcpy(&header, library.data(), sizeof header);
  uint64_t end = 0;
  for (uint16_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    std::memcpy(&segment, library.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    if (segment.p_type == PT_LOAD) end = std::max<uint64_t>(end, segment.p_offset + segment.p_filesz);
  }
  return end;
}

// A copy that was interrupted: the stamp, at the file's beginning, is there. The loader would end the process with
// SIGBUS.
void expect_cut_off(const char* library) {
  const std::string good = read_file(library);
  const size_t mapped = mapped_bytes(good);
  for (const size_t size : {mapped / 5, mapped / 2, mapped - 4096, mapped - 1}) {
    const TemporaryFile file(good.substr(0, size));
    std::string stamp;
    std::string why;
    ASSERT_TRUE(gantry::read_stamp(file.path(), &stamp, &why)) << size << ": " << why;
    const gantry_backend_info info = query(file.path());
    const std::string text = info.text;
    const std::string start = std::string("The CUDA plug-in ") + file.path() + " is cut off: it has " +
                              std::to_string(size) + " bytes, and a segment of ";
    if (text.find(start) == 0) {
      EXPECT_EQ(info.reason, GANTRY_REASON_PLUGIN_UNLOADABLE);
      EXPECT_NE(text.find(". Copy or install it again."), std::string::npos) << text;
    } else {
      ADD_FAILURE() << text;
    }
  }
}

TEST(Selection, AStampedLibraryThatIsCutOff) { expect_cut_off(STAMPED_LIBRARY); }

#if defined(CUDA_PLUGIN)
TEST(Selection, ThePluginThatIsCutOff) { expect_cut_off(CUDA_PLUGIN); }
#endif

TEST(Selection, AMissingDependencyIsTheLoadersText) {
  const gantry_backend_info info = query(LIBRARY_WITH_ABSENT_DEPENDENCY);
  EXPECT_EQ(info.reason, GANTRY_REASON_PLUGIN_UNLOADABLE);
  EXPECT_STREQ(
      info.text,
      "The CUDA plug-in " LIBRARY_WITH_ABSENT_DEPENDENCY
      " is there, and the loader refuses it: libgantry_absent_dependency.so: cannot open shared object file: No "
      "such file or directory.");
}

TEST(Selection, AStampedLibraryWithoutTheEntry) {
  const gantry_backend_info info = query(STAMPED_LIBRARY);
  EXPECT_EQ(info.reason, GANTRY_REASON_PLUGIN_UNLOADABLE);
  EXPECT_STREQ(info.text, "The CUDA plug-in " STAMPED_LIBRARY
                          " was loaded and does not start: it has no function gantry_cuda_entry.");
}

TEST(Selection, AFolderIsNoPlugin) {
  const gantry_backend_info info = query("/tmp");
  EXPECT_EQ(info.reason, GANTRY_REASON_PLUGIN_FOREIGN);
  EXPECT_STREQ(info.text, "The file /tmp is no CUDA plug-in of this build of Gantry: it is no regular file.");
}

#if defined(CUDA_PLUGIN)

// The driver's library of this process, unless a test wants none: dlopen finds what is loaded already by its soname.
class Driver : public testing::Test {
 protected:
  static void start() { ASSERT_NE(dlopen(FAKE_DRIVER, RTLD_NOW | RTLD_GLOBAL), nullptr) << dlerror(); }
  static gantry_backend_info ask() { return query(CUDA_PLUGIN); }
};

// Neither a context nor an op on the host loads the plug-in, let alone a driver.
TEST_F(Driver, IsNotTouchedBeforeItIsAskedFor) {
  const Context context(CUDA_PLUGIN);
  float memory[2] = {1, 2};
  float result[2] = {};
  const int64_t shape[1] = {2};
  const int64_t index[2] = {1, 0};
  gantry_tensor table{};
  table.struct_size = sizeof table;
  table.data = memory;
  table.shape = shape;
  table.ndim = 1;
  table.dtype = {GANTRY_CODE_FLOAT, 32, 1};
  table.device = {GANTRY_DEVICE_HOST, 0};
  gantry_tensor output = table;
  output.data = result;
  gantry_tensor indices = table;
  indices.data = const_cast<int64_t*>(index);
  indices.dtype = {GANTRY_CODE_INT, 64, 1};
  const gantry_table rows{sizeof(gantry_table), 1, &table};
  ASSERT_EQ(gantry_gather(context.get(), &rows, &indices, &output, nullptr, nullptr, nullptr), GANTRY_OK);
  EXPECT_EQ(result[0], 2);
  EXPECT_EQ(dlopen(CUDA_PLUGIN, RTLD_NOW | RTLD_NOLOAD), nullptr);
  EXPECT_EQ(dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD), nullptr);
  context.query();
  EXPECT_NE(dlopen(CUDA_PLUGIN, RTLD_NOW | RTLD_NOLOAD), nullptr);
}

TEST_F(Driver, Absent) {
  if (void* library = dlopen("libcuda.so.1", RTLD_NOW)) {
    dlclose(library);
    GTEST_SKIP() << "this machine has a libcuda.so.1, so that its absence cannot be shown";
  }
  const gantry_backend_info info = ask();
  EXPECT_EQ(info.reason, GANTRY_REASON_DRIVER_ABSENT);
  EXPECT_EQ(std::string(info.text).find(
                "The CUDA driver's library libcuda.so.1 cannot be opened (libcuda.so.1: cannot open shared "
                "object file: No such file or directory). Install the NVIDIA driver"),
            0u)
      << info.text;
  EXPECT_EQ(info.driver_version, 0);
  EXPECT_GE(info.runtime_version, 12000);
  EXPECT_STRNE(info.architectures, "");
}

TEST_F(Driver, VersionZero) {
  start();
  setenv("FAKE_CU_VERSION", "0", 1);
  const gantry_backend_info info = ask();
  EXPECT_EQ(info.reason, GANTRY_REASON_DRIVER_UNUSABLE);
  EXPECT_NE(std::string(info.text).find("cuDriverGetVersion returned 0 and the version 0."), std::string::npos)
      << info.text;
}

TEST_F(Driver, Stub) {
  start();
  setenv("FAKE_CU_VERSION_CODE", "34", 1);
  const gantry_backend_info info = ask();
  EXPECT_EQ(info.reason, GANTRY_REASON_DRIVER_UNUSABLE);
  EXPECT_NE(std::string(info.text).find("cuDriverGetVersion returned 34"), std::string::npos) << info.text;
}

TEST_F(Driver, TooOldIsAQuestionOfTheMajorVersion) {
  start();
  const int runtime = ask().runtime_version;
  const int major = runtime / 1000;
  setenv("FAKE_CU_VERSION", std::to_string(runtime - 1000 + 990).c_str(), 1);
  const gantry_backend_info old = ask();
  EXPECT_EQ(old.reason, GANTRY_REASON_DRIVER_TOO_OLD);
  EXPECT_EQ(old.driver_version, runtime - 1000 + 990);
  const std::string major_text = std::to_string(major);
  EXPECT_NE(std::string(old.text).find("needs a driver for CUDA " + major_text + ".0 or later"), std::string::npos)
      << old.text;
  for (const int version : {major * 1000, (major + 1) * 1000}) {
    setenv("FAKE_CU_VERSION", std::to_string(version).c_str(), 1);
    EXPECT_EQ(ask().reason, GANTRY_REASON_NO_DEVICE) << version;
  }
}

TEST_F(Driver, CodesOfCuInit) {
  start();
  const struct {
    int code;
    const char* text;
  } codes[] = {
      {3, "cuInit returned 3 (CUDA_ERROR_NOT_INITIALIZED). CUDA does not survive fork"},
      {100, "cuInit returned 100 (CUDA_ERROR_NO_DEVICE). No GPU is visible"},
      {802, "cuInit returned 802 (CUDA_ERROR_SYSTEM_NOT_READY). The GPUs wait for a service"},
      {803,
       "cuInit returned 803 (CUDA_ERROR_SYSTEM_DRIVER_MISMATCH). The kernel module and libcuda.so.1 are of different"},
      {999, "cuInit returned 999 (CUDA_ERROR_UNKNOWN). Usually the kernel module nvidia_uvm is not loaded"},
      {12345, "cuInit returned 12345 (an unknown error). Look at nvidia-smi"},
  };
  for (const auto& code : codes) {
    setenv("FAKE_CU_INIT", std::to_string(code.code).c_str(), 1);
    const gantry_backend_info info = ask();
    EXPECT_EQ(info.reason, GANTRY_REASON_DRIVER_ERROR);
    EXPECT_EQ(info.driver_code, code.code);
    EXPECT_NE(std::string(info.text).find(code.text), std::string::npos) << info.text;
  }
}

TEST_F(Driver, NoDevice) {
  start();
  const gantry_backend_info info = ask();
  EXPECT_EQ(info.reason, GANTRY_REASON_NO_DEVICE);
  EXPECT_EQ(info.device_count, 0);
  EXPECT_EQ(info.driver_version, 13000);
}

TEST_F(Driver, NoCodeForTheDevice) {
  start();
  setenv("FAKE_CU_COUNT", "2", 1);
  setenv("FAKE_CU_CAPABILITY", "3.5,5.2", 1);
  const gantry_backend_info info = ask();
  EXPECT_EQ(info.reason, GANTRY_REASON_NO_CODE_FOR_DEVICE);
  EXPECT_EQ(info.device_count, 2);
  EXPECT_EQ(std::string(info.text), std::string("GPU 0 (Fake GPU 0) has compute capability 3.5: it can run none of the "
                                                "code in this plug-in, which was compiled "
                                                "for ") +
                                        info.architectures +
                                        ". Build Gantry with this compute capability in GANTRY_CUDA_ARCHITECTURES.");
  EXPECT_STREQ(info.devices,
               "0: Fake GPU 0, compute capability 3.5, 1073741824 bytes, no code for it\n"
               "1: Fake GPU 1, compute capability 5.2, 2147483648 bytes, no code for it");
}

// The fake has no contexts: a device that there would be code for fails in the runtime, and that is reported as the
// self-test's.
TEST_F(Driver, ADeviceThatCannotBeMadeCurrent) {
  start();
  setenv("FAKE_CU_COUNT", "2", 1);
  setenv("FAKE_CU_CAPABILITY", "3.5,9.0", 1);
  const gantry_backend_info info = ask();
  EXPECT_EQ(info.reason, GANTRY_REASON_SELF_TEST_FAILED);
  EXPECT_EQ(std::string(info.text).find(
                "GPU 1 did not pass the self-test, a gather of 64 rows that is compared bit by bit: cudaError"),
            0u)
      << info.text;
}

TEST_F(Driver, TheOutcomeIsKept) {
  start();
  const Context context(CUDA_PLUGIN);
  EXPECT_EQ(context.query().reason, GANTRY_REASON_NO_DEVICE);
  setenv("FAKE_CU_INIT", "999", 1);
  EXPECT_EQ(context.query().reason, GANTRY_REASON_NO_DEVICE);
  EXPECT_EQ(ask().reason, GANTRY_REASON_DRIVER_ERROR);
}

TEST_F(Driver, AnotherBuildsPluginIsNotLoaded) {
  start();
  const std::string other(own("build.id").size(), '0');
  const TemporaryFile file(with(read_file(CUDA_PLUGIN), "build.id=" + own("build.id"), "build.id=" + other));
  EXPECT_EQ(query(file.path()).reason, GANTRY_REASON_PLUGIN_FOREIGN);
  EXPECT_EQ(dlopen(file.path(), RTLD_NOW | RTLD_NOLOAD), nullptr);
}

#endif

}  // namespace
