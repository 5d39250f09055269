/* A library with this build's stamp that is no plug-in. */
#if defined(NEEDS_DEPENDENCY)
int gantry_absent_dependency(void);
int gantry_stamped(void);
int gantry_stamped(void) { return gantry_absent_dependency(); }
#elif defined(IS_DEPENDENCY)
int gantry_absent_dependency(void);
__attribute__((visibility("default"))) int gantry_absent_dependency(void) { return 0; }
#endif
