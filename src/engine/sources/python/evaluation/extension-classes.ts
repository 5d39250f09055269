import type { Arguments } from "./call-types.ts";
import type { Interpreter } from "./interpreter.ts";
import type { ObjectValue } from "./values.ts";
import { unknown } from "./values.ts";

/** Positional parameters of `setuptools.Extension`; torch's and pybind11's classes start with the same two. */
const parameters = [
  "name", "sources", "include_dirs", "define_macros", "undef_macros", "library_dirs", "libraries", "runtime_library_dirs",
  "extra_objects", "extra_compile_args", "extra_link_args", "export_symbols", "swig_opts", "depends", "language", "optional",
];

/** Extension classes that hand their sources to another build tool. */
const otherBuilders = /(?:^|\.)(?:CMake|Rust|Bazel|Meson|Stub|Dummy)Extension$/;

/** Whether a library class describes an extension that setuptools compiles, going by its dotted name. */
export function isExtensionClass(name: string): boolean {
  return /(?:^|[._A-Za-z0-9])Extension$/.test(name) && !/Build_?Extension$/.test(name) && !otherBuilders.test(name);
}

/** Gives an extension object the attributes that its constructor was called with. */
export function setExtensionArguments(interpreter: Interpreter, object: ObjectValue, args: Arguments): void {
  args.positional.forEach((value, index) => {
    const name = parameters[index];
    if (name !== undefined) object.attributes.write(name, value, interpreter);
  });
  for (const [name, { value }] of args.keywords) object.attributes.write(name, value, interpreter);
  interpreter.keywordPlaces.set(object, args.keywords);
  if (args.open) object.attributes.write("**", unknown("more arguments"), interpreter);
}
