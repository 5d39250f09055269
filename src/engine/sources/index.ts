/**
 * Build files to declared bodies: readers of CMake, Python builds, requirements, compiler flags and C++ sources.
 * A reader is a function of files and an evaluation context; it never throws and never runs anything.
 */
