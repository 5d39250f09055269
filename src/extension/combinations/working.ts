import type { Workshop } from "../../workshop/workshop.ts";
import type { Bench } from "../workshop/bench.ts";
import { inProgress } from "../workshop/progress.ts";
import { BatchedScreen } from "../workshop/screen.ts";
import { Work } from "../workshop/work.ts";
import type { WorkKind } from "../workshop/work.ts";

/** Work with a notification and a way to cancel; what it prints is in the log of Abiding. */
export async function working<T>(bench: Bench, kind: WorkKind, title: string, root: string, job: (work: Work, workshop: Workshop) => Promise<T>): Promise<T> {
  const work = new Work(kind, title, root);
  const screen = new BatchedScreen((text) => bench.host.log.info(text.trimEnd()));
  try {
    return await inProgress(bench, title, (token) => bench.works.do(work, [token], () => job(work, bench.workshop(work, screen))), work);
  } finally {
    screen.end();
  }
}
