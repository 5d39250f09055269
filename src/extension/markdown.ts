/** Sentences with names of others in them: they must not become markup or links. Unlike what appendText makes of them, their lines can end at blanks. */
export function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+!|<>~$&]/g, "\\$&");
}
