import * as fs from "node:fs";
import * as path from "node:path";
import type { BenchmarkPlan } from "../project/types.ts";
import { CannotDo } from "../workshop.ts";

/** The same benchmarks of another build: each plan whose program lies in that folder at the same place. Throws CannotDo when none does. */
export function plansOfBuild(plans: readonly BenchmarkPlan[], folder: string): BenchmarkPlan[] {
  if (!fs.existsSync(folder)) {
    throw new CannotDo(`${folder} does not exist.`);
  }
  const others = plans.flatMap((plan) => {
    const [program = "", ...rest] = plan.command;
    const own = path.resolve(plan.folder, program);
    const other = counterpart(own, folder);
    return other === undefined || other === own ? [] : [{ ...plan, command: [other, ...rest] }];
  });
  if (others.length === 0) {
    throw new CannotDo(`${folder} holds none of the benchmark programs (${plans.map((plan) => plan.command[0] ?? "").join(", ") || "there are none"}).`);
  }
  return others;
}

/** The file in `folder` whose path ends as that of `program` does, with as long an end as possible. */
function counterpart(program: string, folder: string): string | undefined {
  const parts = program.split(path.sep);
  return parts.map((_, index) => path.join(folder, ...parts.slice(index))).find((file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile() === true);
}
