#include <cstdio>

extern "C" const char* my_stamp(void);

int main() { return std::fputs(my_stamp(), stdout) < 0; }
