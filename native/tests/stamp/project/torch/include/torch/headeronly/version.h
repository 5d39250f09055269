// As torch's own, of a release that does not exist.
#define TORCH_VERSION_MAJOR 9
#define TORCH_VERSION_MINOR 21
#define TORCH_VERSION_PATCH 3
