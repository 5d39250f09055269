__attribute__((visibility("default"))) int plain(void);
__attribute__((visibility("default"))) int plain(void) { return 42; }
