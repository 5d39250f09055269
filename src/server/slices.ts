/** Long work in short slices, so that whoever asks for something else in between is answered. */

/** A slice lasts about this long; a single step may last longer. In milliseconds. */
const sliceLength = 10;

/**
 * Takes all steps and gives their result. `between` is called between slices with the name of the next step;
 * when it answers false, the rest is not done and the result is undefined.
 */
export async function inSlices<T>(steps: Generator<string, T, undefined>, between: (next: string) => boolean): Promise<T | undefined> {
  let started = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) {
      return step.value;
    }
    if (performance.now() - started >= sliceLength) {
      await new Promise((resolve) => setImmediate(resolve));
      if (!between(step.value)) {
        return undefined;
      }
      started = performance.now();
    }
  }
}

/** `work`, or `otherwise` when that takes longer than `limit` milliseconds; the work goes on in any case. */
export async function within<T>(limit: number, work: Promise<T>, otherwise: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise()), limit);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
