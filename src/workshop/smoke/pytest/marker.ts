/**
 * Whether a test with these markers fits an expression of `-m`: names, `and`, `or`, `not` and parentheses.
 * https://docs.pytest.org/en/stable/how-to/usage.html. An expression with more in it fits every test: pytest itself decides.
 */
export function fitsMarkers(expression: string | undefined, markers: readonly string[]): boolean {
  if (expression === undefined || expression.trim() === "") return true;
  const words = expression.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  let isPlain = true;
  const either = (): boolean => {
    let value = both();
    while (words[at] === "or") {
      at += 1;
      value = both() || value;
    }
    return value;
  };
  const both = (): boolean => {
    let value = one();
    while (words[at] === "and") {
      at += 1;
      value = one() && value;
    }
    return value;
  };
  const one = (): boolean => {
    const word = words[at];
    at += 1;
    if (word === "not") return !one();
    if (word === "(") {
      const value = either();
      isPlain &&= words[at] === ")";
      at += 1;
      return value;
    }
    isPlain &&= word !== undefined && /^\w[\w-]*$/.test(word);
    return word !== undefined && markers.includes(word);
  };
  const value = either();
  return !isPlain || at !== words.length || value;
}
