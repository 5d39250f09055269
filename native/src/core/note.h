// The ABI stamp of another ELF file, read without loading it.
#ifndef GANTRY_CORE_NOTE_H
#define GANTRY_CORE_NOTE_H

#include <string>

namespace gantry {

// The text of the note with owner "Abiding" and type 1 of a shared library for this machine. False: `why` ends the
// sentence "the file ..." ("is no ELF file"). Nothing that the file says is trusted: reads stay inside it and are
// bounded.
bool read_stamp(const char* path, std::string* stamp, std::string* why);

// False, with `why` as above, when the file ends before what the loader maps of it does: a half-copied library, whose
// stamp may well be there. The loader itself does not look, and the process ends with SIGBUS at the first page that is
// missing.
bool is_whole(const char* path, std::string* why);

// The value of `key` in a stamp's lines; empty when the key is not there.
std::string stamp_line(const std::string& stamp, const std::string& key);

}  // namespace gantry

#endif
