/** Politeness towards a server, whatever runs at the same time in this process. */
const maximumConnections = 4;

interface Queue {
  active: number;
  readonly waiting: (() => void)[];
}

const queues = new Map<string, Queue>();

/** Does `work` when one of the few connections to the origin is free. */
export async function withConnection<T>(origin: string, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(origin) ?? { active: 0, waiting: [] };
  queues.set(origin, queue);
  if (queue.active >= maximumConnections) {
    await new Promise<void>((resolve) => { queue.waiting.push(resolve); });
  } else {
    queue.active += 1;
  }
  try {
    return await work();
  } finally {
    const next = queue.waiting.shift();
    if (next !== undefined) {
      next();
    } else {
      queue.active -= 1;
      if (queue.active === 0) {
        queues.delete(origin);
      }
    }
  }
}
