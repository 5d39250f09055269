/** Whether the pattern of a packaged file names libraries. */
export function isLibrary(pattern: string): boolean {
  return /\.(?:so|dylib|dll)(?:\*|\.[\d*]|$)/.test(pattern);
}
