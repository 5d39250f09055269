/**
 * Python build scripts: setup.py, and modules that build extensions at import time. Read by abstract
 * evaluation of their syntax, never by running them.
 */
export { indexPythonDocument } from "./document.ts";
export { isPythonBuildFile, readPythonBuild } from "./read.ts";
