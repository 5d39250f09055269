/** A bundle, in CommonJS. */
export interface BuiltFile {
  readonly name: string;
  readonly code: string;
}

/** Characters. Of larger parts little is gained, and what is loaded for nothing grows. */
const largestPacked = 16_000;
const packName = "part-small.js";

/**
 * Puts the small parts into one file, each still evaluated when it is asked for: in a zip archive a hundred files of a few
 * kilobytes take 80 KB more than one, since each is compressed by itself and has its name twice.
 */
export function packSmallParts(files: readonly BuiltFile[]): readonly BuiltFile[] {
  const small = files.filter(({ name, code }) => name.startsWith("part-") && code.length <= largestPacked);
  const names = new Set(small.map((one) => one.name));
  const linked = (code: string): string => code.replaceAll(/require\("\.\/(part-\w+\.js)"\)/g, (whole, name: string) => (names.has(name) ? `require("./${packName}")("${name}")` : whole));
  const parts = small.map(({ name, code }) => `"${name}"(module,exports){${linked(code)}\n}`);
  const pack = `const parts={${parts.join(",\n")}},loaded={};module.exports=name=>{let one=loaded[name];if(!one){one=loaded[name]={exports:{}};parts[name](one,one.exports)}return one.exports};\n`;
  return [...files.filter((one) => !names.has(one.name)).map(({ name, code }) => ({ name, code: linked(code) })), ...(small.length === 0 ? [] : [{ name: packName, code: pack }])];
}
