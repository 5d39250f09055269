/** Takes a command line apart as a POSIX shell does that expands nothing (POSIX.1-2017, Shell Command Language, 2.2 Quoting). */
export function splitWords(text: string): readonly string[] {
  const words: string[] = [];
  let word = "";
  let isOpen = false;
  let quote = "";
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (quote === "'") {
      quote = character === "'" ? "" : quote;
      word += character === "'" ? "" : character;
    } else if (character === "\\" && at + 1 < text.length && (quote === "" || /["\\$`]/.test(text[at + 1] ?? ""))) {
      at += 1;
      word += text[at] ?? "";
      isOpen = true;
    } else if (quote === "\"") {
      quote = character === "\"" ? "" : quote;
      word += character === "\"" ? "" : character;
    } else if (character === "'" || character === "\"") {
      quote = character;
      isOpen = true;
    } else if (/\s/.test(character)) {
      if (isOpen) {
        words.push(word);
      }
      word = "";
      isOpen = false;
    } else {
      word += character;
      isOpen = true;
    }
  }
  return isOpen ? [...words, word] : words;
}
