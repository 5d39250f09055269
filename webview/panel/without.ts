/** All members but one. */
export function without<T extends object, K extends keyof T>(from: T, name: K): Omit<T, K> {
  const rest: Partial<T> = { ...from };
  delete rest[name];
  return rest as Omit<T, K>;
}
