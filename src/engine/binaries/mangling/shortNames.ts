const defaultArguments = [", std::allocator<", ", std::char_traits<", ", std::default_delete<"];

/**
 * C++ names in a text without the template arguments that everybody leaves out: `std::vector<at::Tensor>`,
 * `std::string`, and `std::__cxx11::string` for that of the new ABI.
 */
export function shortNames(text: string): string {
  let short = text;
  for (const argument of defaultArguments) {
    for (let at = short.indexOf(argument); at >= 0; at = short.indexOf(argument, at)) {
      const end = closingBracket(short, at + argument.length);
      if (end === undefined) {
        break;
      }
      short = short.slice(0, at) + short.slice(end);
    }
  }
  return short.replaceAll(/\bbasic_string<char ?>/g, "string").replaceAll(/(\w) >/g, "$1>").replaceAll("> >", ">>");
}

/** The index after the bracket that closes one opened before `from`. */
function closingBracket(text: string, from: number): number | undefined {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === "<") {
      depth += 1;
    } else if (text[at] === ">" && text[at - 1] !== "-") {
      depth -= 1;
      if (depth === 0) {
        return at + 1;
      }
    }
  }
  return undefined;
}
