/** Bisects: between which two torches a project broke. */
import * as vscode from "vscode";
import type { BisectBy, BisectReport } from "../../workshop/combinations/types.ts";
import type { Bench } from "../workshop/bench.ts";
import type { Outcome } from "../workshop/work.ts";
import { firstIndexOf } from "./records.ts";
import { settingsOf } from "./settings.ts";
import type { CombinationArgument } from "./settings.ts";
import { knownTorches, pickTorch } from "./torches.ts";
import type { KnownTorch } from "./torches.ts";
import { working } from "./working.ts";

interface Ends {
  readonly good: string;
  readonly bad: string;
}

export async function bisectAsked(bench: Bench, argument: CombinationArgument): Promise<BisectReport | undefined> {
  const root = await bench.chooseRoot(argument.root);
  const ends = root === undefined ? undefined : await askEnds(await knownTorches(bench, root), argument.torch);
  const by = ends === undefined ? undefined : await askBy();
  if (root === undefined || ends === undefined || by === undefined) {
    return undefined;
  }
  const settings = await settingsOf(root);
  const first = await firstIndexOf(root, argument);
  return working(bench, "bisect", vscode.l10n.t("Bisecting torch {0} to {1}", ends.good, ends.bad), root, async (_, workshop) => {
    const { bisect, defaultBudget, triesOf, wantedOf } = await import("../../workshop/combinations/index.ts");
    try {
      const report = await bisect({ root, files: [], ...ends, by, wanted: { ...wantedOf(settings), ...first }, settings, budget: defaultBudget, offline: false, record: true, restart: false }, workshop, triesOf(root, settings, workshop, (event) => bench.cells.tell(root, event)));
      bench.works.tell({ kind: "bisect", root, ...headline(report), text: `${bench.nameOf(root)}: ${report.firstBad === undefined ? vscode.l10n.t("bisect without an answer") : vscode.l10n.t("broke with torch {0}", report.firstBad.version)}`, command: "abiding.showLog" });
      tellSteps(report, (sentence) => workshop.activity.note(sentence));
      return report;
    } finally {
      bench.cells.clear(root);
    }
  });
}

/** The end that is known is not asked for; of the other the likeliest is offered first. `torches`: the newest first. */
async function askEnds(torches: readonly KnownTorch[], from: string | undefined): Promise<Ends | undefined> {
  const at = torches.findIndex((one) => one.torch === from);
  const verdict = from === undefined ? undefined : torches[at]?.verdict ?? await askVerdict(from);
  if (from !== undefined && verdict === undefined) {
    return undefined;
  }
  const good = verdict === "good" ? from : await pickTorch(vscode.l10n.t("With which torch did it work?"), torches, (at < 0 ? torches : torches.slice(at + 1)).find((one) => one.verdict === "good")?.torch);
  if (good === undefined || good === "") {
    return undefined;
  }
  const since = torches.findIndex((one) => one.torch === good);
  const bad = verdict === "bad" ? from : await pickTorch(vscode.l10n.t("With which torch does it not work?"), torches, torches.slice(0, Math.max(0, since)).findLast((one) => one.verdict === "bad")?.torch);
  return bad === undefined || bad === "" ? undefined : { good, bad };
}

async function askVerdict(torch: string): Promise<KnownTorch["verdict"]> {
  const picked = await vscode.window.showQuickPick([
    { label: vscode.l10n.t("It works"), verdict: "good" as const }, { label: vscode.l10n.t("It does not work"), verdict: "bad" as const },
  ], { title: vscode.l10n.t("What about torch {0}?", torch), ignoreFocusOut: true });
  return picked?.verdict;
}

async function askBy(): Promise<BisectBy | undefined> {
  const items: readonly (vscode.QuickPickItem & { readonly by: BisectBy })[] = [
    { label: vscode.l10n.t("By symbols"), detail: vscode.l10n.t("Compares what is built with the symbol tables of each torch: seconds, at most 300 MB from package indexes, nothing is run."), by: "fits" },
    { label: vscode.l10n.t("By building"), detail: vscode.l10n.t("Builds in scratch environments, at the boundary that symbols show."), by: "build" },
    { label: vscode.l10n.t("By smoke tests"), detail: vscode.l10n.t("Builds and runs the smoke tests in scratch environments."), by: "smoke" },
    { label: vscode.l10n.t("By benchmarks"), detail: vscode.l10n.t("Builds and measures in scratch environments; bad is what got slower outside the noise."), by: "benchmark" },
  ];
  return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t("How is good told from bad?"), matchOnDetail: true, ignoreFocusOut: true }))?.by;
}

function headline({ outcome, reason, firstBad, lastGood, range, symbols, failing }: BisectReport): Pick<Outcome, "ending" | "headline" | "rule"> {
  if (outcome !== "found" || firstBad === undefined) {
    return { ending: outcome === "cancelled" ? "cancelled" : outcome === "found" ? "failed" : "stopped", headline: reason ?? vscode.l10n.t("No boundary was found.") };
  }
  const [symbol] = symbols;
  const rule = failing?.rule ?? (symbol === undefined ? undefined : "torch-symbols");
  const sentences = [
    vscode.l10n.t("torch {0} is the first bad one.", firstBad.version),
    ...(lastGood === undefined ? [] : [vscode.l10n.t("{0} was the last good one.", lastGood.version)]),
    ...(symbol === undefined ? [] : [vscode.l10n.t("It no longer exports {0}.", symbol.demangled)]),
    ...(symbol === undefined && failing !== undefined ? [failing.message] : []),
    ...(range === undefined ? [] : [range.url]),
  ];
  return { ending: "passed", headline: sentences.join(" "), ...(rule === undefined ? {} : { rule }) };
}

function tellSteps({ steps, symbols, range }: BisectReport, note: (sentence: string) => void): void {
  steps.forEach(({ torch, by, verdict, because }) => note(`${torch}: ${verdict} (${by})${because === undefined ? "" : `. ${because}`}`));
  symbols.forEach(({ demangled, nearest }) => note(nearest === undefined ? demangled : vscode.l10n.t("{0}; the nearest that is there is {1}", demangled, nearest)));
  if (range !== undefined) {
    note(range.url);
  }
}
