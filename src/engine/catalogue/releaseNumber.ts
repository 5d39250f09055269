/** "2.8.0" of "2.8", "v2.8.0" and "2.8.0+cu128"; undefined for a development build, which is no release. */
export function releaseNumber(version: string): string | undefined {
  const parts = /^v?(\d+)\.(\d+)(?:\.(\d+))?(?:\.post\d+)?(?:\+.*)?$/.exec(version.trim());
  return parts === null ? undefined : `${parts[1]}.${parts[2]}.${parts[3] ?? "0"}`;
}
