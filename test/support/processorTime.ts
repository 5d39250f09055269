/**
 * Milliseconds of processor time that this process has had. What other processes do on a busy machine moves a clock on the wall, and
 * not this: limits that tests set to work are of this time.
 */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
