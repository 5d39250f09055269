/** Where a line of a terminal or log has something to explain. Cheap: it is asked for every line that the pointer rests on. */

export interface Explainable {
  readonly start: number;
  readonly end: number;
}

/**
 * What a mangled name begins with after its `_Z` (Itanium C++ ABI, 5.1.2 to 5.1.4): a length; a name in a namespace or class, in std,
 * or local to a function; tables, guards and thunks; an operator with what it takes. `_ZSH_VERSION` or `_Zoo.txt` begin with none of these.
 */
const encoding = [
  /L?\d/, /N[rVKROH]{0,4}(?:\d|S[\dA-Z_abdiost]|T[\d_]|D[tT]|L\d)/, /St(?:\d|[a-z]{2}[\dA-Z])/, /Z(?:\d|N[KSVLRO\d]|L\d|St)/,
  /T[CHISTVW](?:[\dADFKMNPRSZ]|[a-z](?!\w))/, /T[chv]n?\d/, /G(?:V|R|Tt)(?:\d|[NZ]\w|L\d|St)/,
  /n[aw][jm](?![a-z])/, /d[al]Pv/, /li\d/, /(?:ad|an|aN|aS|aa|cl|cm|de|dv|dV|eo|eO|eq|ge|gt|ix|le|ls|lS|lt|mi|mI|ml|mL|mm|ne|ng|nt|oo|or|oR|pl|pL|pm|pp|ps|pt|rm|rM|rs|rS|ss)[IKNOPRST\d]/,
].map((one) => one.source).join("|");

/** A mangled name of the Itanium C++ ABI where it begins, also as Mach-O (`__Z`) and import libraries of MinGW (`__imp__Z`) spell it. */
const mangled = new RegExp(`(?<![\\w$])(?:__imp_)?_{1,4}Z(?:${encoding})[\\w$.]{0,4096}`);

/**
 * The words of loaders (glibc's elf/dl-lookup.c, dl-version.c and dl-load.c, musl's dynlink.c, dyld, the Windows loader as CPython
 * quotes it), of linkers (GNU ld and gold, lld, Apple's ld, MSVC's link), of the CUDA runtime and driver, of pybind11, of
 * torch.utils.cpp_extension and of torch's dispatcher. Each begins with fixed words, or where a word begins, and ends within bounds.
 */
const words = new RegExp([
  /(?:symbol lookup|relocation) error: [^\n]{1,600}/,
  // A name alone, or what lld makes of it in words; prose about such errors goes on in other words.
  /undefined (?:(?:weak|hidden|protected|internal) )?symbol:(?=\s{0,20}$)/,
  /undefined (?:(?:weak|hidden|protected|internal) )?symbol:\s{1,20}(?:[^\s,;]{1,4096}(?:, version [\w.]{1,128})?(?=\s{0,20}(?:$|[(,;'"\]]))|(?:vtable|VTT|typeinfo|guard variable|construction vtable|(?:non-)?virtual thunk)[^\n]{1,600}|[^\n]{0,300}?(?:::|\()[^\n]{0,600})/,
  /undefined reference to [`'‘"“][^\n]{1,600}/,
  /Undefined symbols for architecture \w{1,32}/,
  /[Ss]ymbol not found(?:: _[^\n]{1,600}| in flat namespace[^\n]{0,600})/,
  /Error relocating [^\s:]{1,600}: \S{1,600}: symbol not found/,
  /unresolved external symbol [^\n]{1,600}/,
  /version [`'‘"][\w.]{1,128}['’"] not found(?: \(required by [^)]{1,600}\))?/,
  /error while loading shared libraries: [^\n]{1,600}/,
  /(?<![\w.+-])[\w.+-]{1,256}: cannot open shared object file(?:: No such file or directory)?/,
  /Library not loaded: \S{1,600}/,
  /DLL load failed while importing [\w.]{1,256}[^\n]{0,200}/,
  /cannot allocate memory in static TLS block/,
  /(?<=: )(?:invalid ELF header|file too short|wrong ELF class: ELFCLASS\d\d|cannot enable executable stack[^\n]{0,100})/,
  /cannot find -l:?[\w.+-]{1,256}/,
  /DSO missing from command line/,
  /no kernel image is available for execution on the device/,
  /the provided PTX was compiled with an unsupported toolchain/,
  /CUDA driver version is insufficient for CUDA runtime version/,
  /incompatible (?:function|constructor) arguments/,
  /Unable to convert (?:function return value to a Python type|call argument)[^\n]{0,200}/,
  /The detected CUDA version \([^)]{1,32}\) mismatches the version[^\n]{0,200}/,
  /Unsupported gpu architecture '[^']{1,32}'/,
  /unsupported GNU version![^\n]{0,200}/,
  /Could not run '[^']{1,200}' with arguments[^\n]{0,300}/,
  /(?:Couldn't find an operator for [\w.:]{1,128}|operator \w{1,64}::[\w.]{1,128} does not exist)[^\n]{0,200}/,
].map((one) => one.source).join("|"));

/** Minified files and encoded data have lines that no tool prints for people. */
const longestLine = 20_000;
const most = 16;

/** Places that a click may explain, in order and apart from each other. */
export function explainableIn(line: string): readonly Explainable[] {
  if (line.length > longestLine) {
    return [];
  }
  const found: Explainable[] = [];
  const either = new RegExp(`${words.source}|${mangled.source}`, "g");
  for (const match of line.matchAll(either)) {
    found.push({ start: match.index, end: match.index + match[0].trimEnd().length });
    if (found.length === most) {
      break;
    }
  }
  return found;
}

/** Longest name that is read; longer ones are of templates that nobody wrote by hand. */
const longestName = 4096;

/** The mangled name around a column, as it stands there; only its surroundings are looked at, however long the line is. */
export function mangledNameAt(line: string, column: number): (Explainable & { readonly name: string }) | undefined {
  if (!line.slice(Math.max(0, column - longestName), column + longestName).includes("_Z")) {
    return undefined;
  }
  const isPart = (at: number): boolean => /[\w$.@]/.test(line.charAt(at));
  let [start, end] = [column, column];
  while (start > 0 && column - start < longestName && isPart(start - 1)) {
    start -= 1;
  }
  while (end < line.length && end - start < longestName && isPart(end)) {
    end += 1;
  }
  const text = line.slice(start, end);
  // The letter that ends a colour of a terminal looks like a part of the name.
  const colour = /[[;]/.test(line.charAt(start - 1)) ? /^\d*m/.exec(text)?.[0].length ?? 0 : 0;
  const first = /(?:^|[.@$])(?:__imp_)?_{1,4}Z[\w$.@]{2,}$/.exec(text.slice(colour));
  if (first === null) {
    return undefined;
  }
  const from = start + colour + first.index + (/^[.@$]/.test(first[0]) ? 1 : 0);
  const name = line.slice(from, end).replace(/\.+$/, "");
  return column < from ? undefined : { start: from, end: from + name.length, name };
}
