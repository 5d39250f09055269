#include "core/note.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace gantry {
namespace {

constexpr uint64_t kMostNoteBytes = 1u << 20;
constexpr uint32_t kMostSegments = 4096;
// As docs/stamp.md bounds them for every reader.
constexpr uint32_t kMostOwnerBytes = 256;
constexpr uint32_t kMostNotes = 4096;
constexpr char kOwner[8] = "Abiding";

#if defined(__x86_64__)
constexpr uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
#elif defined(__powerpc64__)
constexpr uint16_t kMachine = EM_PPC64;
#elif defined(__riscv)
constexpr uint16_t kMachine = EM_RISCV;
#else
constexpr uint16_t kMachine = EM_NONE;
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
constexpr unsigned char kOrder = ELFDATA2LSB;
#else
constexpr unsigned char kOrder = ELFDATA2MSB;
#endif

std::string machine_name(uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86-64";
    case EM_AARCH64:
      return "aarch64";
    case EM_386:
      return "i386";
    case EM_ARM:
      return "arm";
    case EM_PPC64:
      return "ppc64";
    case EM_RISCV:
      return "riscv";
    default:
      return "machine type " + std::to_string(machine);
  }
}

class File {
 public:
  explicit File(const char* path) : descriptor_(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    struct stat status{};
    if (descriptor_ < 0 || fstat(descriptor_, &status) != 0) {
      error_ = errno;
    } else if (!S_ISREG(status.st_mode)) {
      is_regular_ = false;
    } else {
      bytes_ = static_cast<uint64_t>(status.st_size);
    }
  }
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  int error() const { return error_; }
  bool is_regular() const { return is_regular_; }

  uint64_t bytes() const { return bytes_; }

  bool has(uint64_t offset, uint64_t size) const { return offset <= bytes_ && size <= bytes_ - offset; }

  bool read(uint64_t offset, void* to, uint64_t size) const {
    if (!has(offset, size)) return false;
    char* at = static_cast<char*>(to);
    while (size > 0) {
      const ssize_t got = pread(descriptor_, at, size, static_cast<off_t>(offset));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      at += got;
      offset += static_cast<uint64_t>(got);
      size -= static_cast<uint64_t>(got);
    }
    return true;
  }

 private:
  int descriptor_;
  int error_ = 0;
  bool is_regular_ = true;
  uint64_t bytes_ = 0;
};

// The stamp among the notes in `bytes`, up to its NUL.
bool find_note(const std::vector<char>& bytes, uint64_t alignment, std::string* stamp) {
  const uint64_t step = alignment == 8 ? 8 : 4;
  const auto rounded = [step](uint64_t size) { return (size + step - 1) / step * step; };
  uint64_t at = 0;
  for (uint32_t i = 0; i < kMostNotes && at + sizeof(Elf64_Nhdr) <= bytes.size(); ++i) {
    Elf64_Nhdr note{};
    std::memcpy(&note, bytes.data() + at, sizeof note);
    const uint64_t owner = at + sizeof note;
    const uint64_t text = at + rounded(sizeof note + note.n_namesz);
    const uint64_t end = text + note.n_descsz;
    if (end > bytes.size() || note.n_namesz > kMostOwnerBytes) return false;
    if (note.n_type == 1 && note.n_namesz == sizeof kOwner &&
        std::memcmp(bytes.data() + owner, kOwner, sizeof kOwner) == 0) {
      const char* begin = bytes.data() + text;
      stamp->assign(begin, strnlen(begin, note.n_descsz));
      return true;
    }
    at = rounded(end);
  }
  return false;
}

bool read_header(const File& file, Elf64_Ehdr* header, std::string* why) {
  if (file.error() != 0) {
    char text[128] = "";
    *why = std::string("cannot be read: ") + strerror_r(file.error(), text, sizeof text);
    return false;
  }
  if (!file.is_regular()) {
    *why = "is no regular file";
    return false;
  }
  if (!file.read(0, header, sizeof *header) || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
    *why = "is no ELF file";
    return false;
  }
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != kOrder || header->e_machine != kMachine) {
    const bool same_order = header->e_ident[EI_DATA] == kOrder;
    *why = "is for " +
           (same_order ? machine_name(header->e_machine) : std::string("a machine of the other byte order")) +
           (header->e_ident[EI_CLASS] != ELFCLASS64 ? " with 32 bits" : "") + ", and this process runs on " +
           machine_name(kMachine);
    return false;
  }
  if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum == 0 || header->e_phnum > kMostSegments) {
    *why = "is an ELF file whose program headers cannot be read";
    return false;
  }
  return true;
}

bool read_segment(const File& file, const Elf64_Ehdr& header, uint32_t i, Elf64_Phdr* segment, std::string* why) {
  if (header.e_phoff <= UINT64_MAX - i * sizeof *segment &&
      file.read(header.e_phoff + i * sizeof *segment, segment, sizeof *segment)) {
    return true;
  }
  *why = "is an ELF file that ends before its program headers do";
  return false;
}

}  // namespace

bool read_stamp(const char* path, std::string* stamp, std::string* why) {
  const File file(path);
  Elf64_Ehdr header{};
  if (!read_header(file, &header, why)) return false;
  for (uint32_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (!read_segment(file, header, i, &segment, why)) return false;
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMostNoteBytes) continue;
    std::vector<char> bytes(segment.p_filesz);
    if (!file.read(segment.p_offset, bytes.data(), bytes.size())) {
      *why = "is an ELF file that ends before its notes do";
      return false;
    }
    if (find_note(bytes, segment.p_align, stamp)) return true;
  }
  *why = "has no stamp of Gantry's";
  return false;
}

bool is_whole(const char* path, std::string* why) {
  const File file(path);
  Elf64_Ehdr header{};
  if (!read_header(file, &header, why)) return false;
  for (uint32_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    if (!read_segment(file, header, i, &segment, why)) return false;
    if ((segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC) || file.has(segment.p_offset, segment.p_filesz)) {
      continue;
    }
    *why = "is cut off: it has " + std::to_string(file.bytes()) + " bytes, and a segment of " +
           std::to_string(segment.p_filesz) + " bytes begins at " + std::to_string(segment.p_offset);
    return false;
  }
  return true;
}

std::string stamp_line(const std::string& stamp, const std::string& key) {
  const std::string start = key + "=";
  for (size_t begin = 0; begin < stamp.size();) {
    const size_t end = std::min(stamp.find('\n', begin), stamp.size());
    if (stamp.compare(begin, start.size(), start) == 0)
      return stamp.substr(begin + start.size(), end - begin - start.size());
    begin = end + 1;
  }
  return std::string();
}

}  // namespace gantry
