# The libstdc++ ABI is torch's business: since 2.7 its Linux builds have only the new one, which is the compiler's default.
find_package(Torch 2.14 REQUIRED)
