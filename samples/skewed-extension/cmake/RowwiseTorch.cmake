find_package(Torch REQUIRED)

# Which std::string does this torch use?
string(REGEX MATCH "_GLIBCXX_USE_CXX11_ABI=([01])" _abi_flag "${TORCH_CXX_FLAGS}")
message(STATUS "torch asks for: ${_abi_flag}")

# The wheels that we built for the old cluster needed this.
set(ROWWISE_ABI_FLAG "-D_GLIBCXX_USE_CXX11_ABI=0")
set(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} ${ROWWISE_ABI_FLAG}")
