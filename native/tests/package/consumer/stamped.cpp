extern "C" int stamped() { return 1; }
