/** Combinations in the editor: what is predicted, tried, bisected, rolled and published, asked for by the palette or by the panel. */
import type { Bench } from "../workshop/bench.ts";
import { bisectAsked } from "./bisecting.ts";
import { refreshIndexes } from "./indexes.ts";
import { predictAsked } from "./predicting.ts";
import { publishAsked } from "./publishing.ts";
import { rollAsked } from "./rolling.ts";
import { argumentOf } from "./settings.ts";
import type { CombinationArgument } from "./settings.ts";
import { tryAsked } from "./trying.ts";

export type CombinationCommand = "combinationsRun" | "combinationsPredict" | "combinationsBisect" | "combinationsRollPins" | "combinationsPublish" | "combinationsRefreshIndexes" | "combinationsCancel";

const commands: Readonly<Record<CombinationCommand, (bench: Bench, argument: CombinationArgument) => Promise<unknown>>> = {
  combinationsRun: tryAsked,
  combinationsPredict: predictAsked,
  combinationsBisect: bisectAsked,
  combinationsRollPins: rollAsked,
  combinationsPublish: publishAsked,
  combinationsRefreshIndexes: refreshIndexes,
  combinationsCancel: (bench, { root }) => {
    bench.works.running.filter((work) => kinds.has(work.kind) && (root === undefined || work.root === root)).forEach((work) => work.cancel());
    return Promise.resolve();
  },
};

const kinds: ReadonlySet<string> = new Set(["combinations", "predict", "bisect", "indexes"]);

export function combinationCommand(name: CombinationCommand, bench: Bench, argument: unknown): Promise<unknown> {
  return commands[name](bench, argumentOf(argument));
}
