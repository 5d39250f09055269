/** Scripts that build by convention; any other Python file counts only when its text calls the builders. */
export function isPythonBuildName(name: string): boolean {
  return /^setup(?:[_-]\w+)?\.py$/i.test(name);
}

export function isPythonSource(name: string): boolean {
  return name.endsWith(".py");
}
