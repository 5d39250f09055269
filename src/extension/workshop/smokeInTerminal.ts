import * as vscode from "vscode";
import { smoke } from "../../workshop/smoke/index.ts";
import { recordReport } from "../combinations/recording.ts";
import type { Bench } from "./bench.ts";
import { explanationLine, headlineOfSmoke } from "./headlines.ts";
import type { Screen } from "./screen.ts";
import { countsOf, plansNamed, timeLimit } from "./testing.ts";
import { Refused, requireTrust } from "./trust.ts";
import { Work } from "./work.ts";

/** Smoke tests as a task: results are lines of its terminal. `arguments`: names of tests, or patterns with `*`. */
export async function smokeInTerminal(bench: Bench, task: { readonly root: string; readonly plan?: string; readonly arguments?: readonly string[] }, screen: Screen, token: vscode.CancellationToken): Promise<number> {
  requireTrust();
  const { root } = task;
  const all = (await bench.project(root)).smoke;
  const plans = plansNamed(all, task.plan);
  if (plans.length === 0) {
    throw new Refused(vscode.l10n.t("nothing was found to test in {0}.", bench.nameOf(root)));
  }
  const work = new Work("smoke", vscode.l10n.t("Testing {0}", bench.nameOf(root)), root);
  return bench.works.do(work, [token], async () => {
    const workshop = bench.workshop(work, screen);
    const report = await smoke({ root, plans, against: [], only: task.arguments ?? [], except: [], failed: false, timeLimit: timeLimit(root) }, workshop, (event) => {
      if (event.kind === "output") {
        screen.output(event.text);
      } else if (event.kind === "ended" && event.result.outcome !== "cancelled") {
        const { label, outcome, reason, milliseconds, explanation } = event.result;
        screen.note(`${outcome.padEnd(8)} ${label} (${milliseconds.toFixed(0)} ms)${reason === undefined ? "" : `: ${reason}`}`);
        if (explanation !== undefined) {
          screen.note(explanationLine(explanation));
        }
      }
    });
    report.problems.forEach(({ message }) => screen.note(message));
    await recordReport(root, { kind: "smoke", report, plans, isPart: (task.arguments ?? []).length > 0 || plans.length < all.length }, workshop, screen);
    const { counts, short, good } = countsOf(report);
    screen.note(counts);
    bench.works.tell({ kind: "smoke", root, ...headlineOfSmoke(report, counts), text: `${bench.nameOf(root)}: ${short}`, details: counts, command: "workbench.action.terminal.focus" });
    return good ? 0 : 1;
  });
}
