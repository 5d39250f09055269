/**
 * The closed tables of the grammar: builtin types, operators, abbreviations, special names.
 * Codes and names: Itanium C++ ABI, sections 5.1.3 to 5.1.10; the text is what `c++filt` of GNU binutils prints.
 */

/** <builtin-type> of one letter, and of D and one letter. */
export const builtinTypes: Readonly<Record<string, string>> = {
  a: "signed char", b: "bool", c: "char", d: "double", e: "long double", f: "float", g: "__float128", h: "unsigned char", i: "int", j: "unsigned int",
  l: "long", m: "unsigned long", n: "__int128", o: "unsigned __int128", s: "short", t: "unsigned short", v: "void", w: "wchar_t", x: "long long",
  y: "unsigned long long", z: "...",
  Da: "auto", Dc: "decltype(auto)", Dd: "decimal64", De: "decimal128", Df: "decimal32", Dh: "half", Di: "char32_t", Dn: "decltype(nullptr)",
  Ds: "char16_t", Du: "char8_t",
};

/** How the literal of a builtin type ends where its type needs no cast: 3u, 3ul. */
export const literalSuffixes: Readonly<Record<string, string>> = { i: "", j: "u", l: "l", m: "ul", x: "ll", y: "ull" };

/** [text, number of operands] of an <operator-name>; a blank at the end parts the word from its operand. */
export const operators: Readonly<Record<string, readonly [string, number]>> = {
  aN: ["&=", 2], aS: ["=", 2], aa: ["&&", 2], ad: ["&", 1], an: ["&", 2], at: ["alignof ", 1], aw: ["co_await ", 1], az: ["alignof ", 1],
  cc: ["const_cast", 2], cl: ["()", 2], cm: [",", 2], co: ["~", 1], dV: ["/=", 2], dX: ["[...]=", 3], da: ["delete[] ", 1], dc: ["dynamic_cast", 2],
  de: ["*", 1], di: ["=", 2], dl: ["delete ", 1], ds: [".*", 2], dt: [".", 2], dv: ["/", 2], dx: ["]=", 2], eO: ["^=", 2], eo: ["^", 2], eq: ["==", 2],
  fL: ["...", 3], fR: ["...", 3], fl: ["...", 2], fr: ["...", 2], ge: [">=", 2], gs: ["::", 1], gt: [">", 2], ix: ["[]", 2], lS: ["<<=", 2],
  le: ["<=", 2], ls: ["<<", 2], lt: ["<", 2], mI: ["-=", 2], mL: ["*=", 2], mi: ["-", 2], ml: ["*", 2], mm: ["--", 1], na: ["new[]", 3],
  ne: ["!=", 2], ng: ["-", 1], nt: ["!", 1], nw: ["new", 3], nx: ["noexcept", 1], oR: ["|=", 2], oo: ["||", 2], or: ["|", 2], pL: ["+=", 2],
  pl: ["+", 2], pm: ["->*", 2], pp: ["++", 1], ps: ["+", 1], pt: ["->", 2], qu: ["?", 3], rM: ["%=", 2], rS: [">>=", 2], rc: ["reinterpret_cast", 2],
  rm: ["%", 2], rs: [">>", 2], sP: ["sizeof...", 1], sZ: ["sizeof...", 1], sc: ["static_cast", 2], ss: ["<=>", 2], st: ["sizeof ", 1],
  sz: ["sizeof ", 1], te: ["typeid ", 1], ti: ["typeid ", 1], tr: ["throw", 0], tw: ["throw ", 1],
};

/** [as a type is spelt out, name of the class] of an abbreviation: Sa, Ss ... */
export const abbreviations: Readonly<Record<string, readonly [string, string]>> = {
  a: ["std::allocator", "allocator"],
  b: ["std::basic_string", "basic_string"],
  s: ["std::basic_string<char, std::char_traits<char>, std::allocator<char> >", "basic_string"],
  i: ["std::basic_istream<char, std::char_traits<char> >", "basic_istream"],
  o: ["std::basic_ostream<char, std::char_traits<char> >", "basic_ostream"],
  d: ["std::basic_iostream<char, std::char_traits<char> >", "basic_iostream"],
};

/** What is put before the target of a <special-name>. */
export const specialNames: Readonly<Record<string, string>> = {
  TV: "vtable for ", TT: "VTT for ", TC: "construction vtable for ", TI: "typeinfo for ", TS: "typeinfo name for ", TF: "typeinfo fn for ",
  Th: "non-virtual thunk to ", Tv: "virtual thunk to ", Tc: "covariant return thunk to ", TA: "template parameter object for ",
  TH: "TLS init function for ", TW: "TLS wrapper function for ", GV: "guard variable for ", GR: "reference temporary #", GA: "hidden alias for ",
  GTt: "transaction clone for ", GTn: "non-transaction clone for ",
};
