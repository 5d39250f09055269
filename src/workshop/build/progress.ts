/** "[3/17] Building CXX object", also of ninja behind setup.py. */
const ninja = /^\[(\d+)\/(\d+)\] /;
/** "[ 40%] Building CXX object" of CMake's makefiles. */
const make = /^\[ {0,2}(\d{1,3})%\] /;

/** How much is done as a line of ninja or make tells it, from 0 to 1. */
export function fractionIn(line: string): number | undefined {
  const [, done, all] = ninja.exec(line) ?? [];
  if (done !== undefined && Number(all) > 0) {
    return Math.min(1, Number(done) / Number(all));
  }
  const percent = make.exec(line)?.[1];
  return percent === undefined ? undefined : Math.min(1, Number(percent) / 100);
}
