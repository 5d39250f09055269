import * as path from "node:path";
import { appendCombinations, combinationOf, methods, outcomesOf, readSettings, recordsFile, validateRecord } from "../../../workshop/combinations/index.ts";
import type { Circumstances } from "../../../workshop/combinations/index.ts";
import type { CombinationReason, CombinationRecord } from "../../../workshop/combinations/types.ts";
import { fromHere } from "../../against.ts";
import { oneOf, UsageError } from "../../arguments.ts";
import { jsonText } from "../../reporters/jsonText.ts";
import { printable } from "../../reporters/printable.ts";
import type { Terminal } from "../../terminal.ts";
import { withActivity } from "../activity.ts";
import { projectFolder, readOptions } from "../options.ts";
import { makeWorkshop } from "../workshop.ts";
import { recordHelp } from "./recordHelp.ts";

const options = {
  how: { type: "string" },
  outcome: { type: "string" },
  torch: { type: "string" },
  "torch-commit": { type: "string" },
  index: { type: "string" },
  package: { type: "string", multiple: true },
  against: { type: "string" },
  project: { type: "string" },
  version: { type: "string" },
  commit: { type: "string" },
  python: { type: "string" },
  cuda: { type: "string" },
  compiler: { type: "string" },
  platform: { type: "string" },
  gpu: { type: "string" },
  capability: { type: "string" },
  driver: { type: "string" },
  reason: { type: "string" },
  rule: { type: "string" },
  test: { type: "string" },
  symbol: { type: "string", multiple: true },
  note: { type: "string" },
  when: { type: "string" },
  format: { type: "string" },
  output: { type: "string", short: "o" },
  help: { type: "boolean", short: "h" },
} as const;

type Values = ReturnType<typeof readOptions<typeof options>>["values"];

/** `abiding combinations record`. Exit status: 0 added, 2 could not be. */
export async function record(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions("combinations record", argv, options);
  if (values.help === true) {
    terminal.deliver(recordHelp, undefined);
    return 0;
  }
  const format = oneOf("--format", values.format, ["text", "json"], "text");
  if (values.how === undefined || values.outcome === undefined) {
    throw new UsageError("A record needs --how (built, loaded, smoke, benchmark or predicted) and --outcome (passed, failed, no-conflict, conflict or unknown).");
  }
  const how = oneOf("--how", values.how, methods, "smoke");
  const outcome = oneOf(`--outcome of what is ${how}`, values.outcome, outcomesOf(how), "unknown");
  const root = projectFolder("combinations record", positionals, terminal.workingDirectory);
  return withActivity(terminal, async (activity) => {
    const { settings, isWritten } = readSettings(root);
    const file = recordsFile(root, isWritten ? settings : undefined);
    const workshop = makeWorkshop(terminal, activity);
    const combination = await combinationOf({ root, ...circumstancesOf(values, how, terminal.workingDirectory), beside: settings.packages ?? [], unchanging: [path.relative(root, file)] }, workshop);
    if (combination === undefined) {
      throw new UsageError(values.against === undefined ? "No torch was found around the project; name its version with --torch, or its environment with --against." : `No torch was found in ${values.against}; name its version with --torch.`);
    }
    const reason = reasonOf(values);
    const made: CombinationRecord = {
      schema: 1, combination, how, outcome, when: values.when ?? workshop.now().toISOString(), by: terminal.version,
      ...(reason === undefined ? {} : { reason }),
      note: values.note === undefined ? "by hand" : `by hand: ${values.note}`,
    };
    const validated = validateRecord(made);
    if (validated.kind !== "record") {
      throw new UsageError(`This is no record: ${validated.kind === "wrong" ? validated.problem : "its schema is not known"}.`);
    }
    const { added, notes } = await appendCombinations(file, [validated.record], activity.signal);
    for (const note of notes) activity.note(note);
    terminal.deliver(format === "json" ? jsonText(validated.record) : `${printable(`${added === 0 ? "It was recorded already" : "Recorded"} in ${path.relative(root, file)}: torch ${combination.torch.version}, ${how}, ${outcome}.`)}\n`, values.output);
    return 0;
  });
}

/** Nothing of this machine's GPU goes into what was tried with another torch, or predicted. */
function circumstancesOf(values: Values, how: CombinationRecord["how"], here: string): Omit<Circumstances, "root"> {
  const isElsewhere = how === "predicted" || values.torch !== undefined;
  const gpu = values.gpu === "none" ? null : values.gpu === undefined ? undefined : { name: values.gpu, ...defined("capability", values.capability), ...defined("driver", values.driver) };
  if (gpu === undefined && (values.capability !== undefined || values.driver !== undefined)) {
    throw new UsageError("--capability and --driver are of a GPU; name it with --gpu.");
  }
  return {
    ...(values.against === undefined ? {} : { environment: fromHere(values.against, here) }),
    torch: { ...defined("version", values.torch), ...defined("gitVersion", values["torch-commit"]), ...defined("index", values.index) },
    ...(values.package === undefined ? {} : { packages: packagesOf(values.package) }),
    project: { ...defined("name", values.project), ...defined("version", values.version), ...defined("commit", values.commit) },
    ...defined("python", values.python), ...defined("compiler", values.compiler), ...defined("platform", values.platform),
    ...(values.cuda === undefined ? {} : { cuda: values.cuda === "none" ? null : values.cuda }),
    ...(gpu !== undefined ? { gpu } : isElsewhere ? { gpu: "irrelevant" as const } : {}),
  };
}

function packagesOf(texts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(texts.map((text) => {
    const [, name, version] = /^([\w.-]+)==?([\w.+!-]+)$/.exec(text.trim()) ?? [];
    if (name === undefined || version === undefined) throw new UsageError(`--package must be a name and a version such as torchvision=0.29.0; it is "${text}".`);
    return [name.toLowerCase().replaceAll(/[-_.]+/g, "-"), version];
  }));
}

function reasonOf({ reason, rule, test, symbol }: Values): CombinationReason | undefined {
  if (reason === undefined) {
    const given = [["--rule", rule], ["--test", test], ["--symbol", symbol]].find(([, value]) => value !== undefined);
    if (given !== undefined) throw new UsageError(`${String(given[0])} belongs to a reason; say it in a sentence with --reason.`);
    return undefined;
  }
  return { message: reason, ...defined("rule", rule), ...(symbol === undefined ? {} : { symbols: symbol }), ...defined("test", test) };
}

function defined<K extends string, T>(name: K, value: T | undefined): { readonly [P in K]?: T } {
  return value === undefined ? {} : { [name]: value } as { [P in K]: T };
}
