import { nightlies as readNightlies, readSettings, recordsFile, wantedOf } from "../../../workshop/combinations/index.ts";
import type { NightliesReport } from "../../../workshop/combinations/index.ts";
import { oneOf, UsageError } from "../../arguments.ts";
import { nightliesText } from "../../reporters/combinationsNightliesText.ts";
import { jsonText } from "../../reporters/jsonText.ts";
import { printableDeep } from "../../reporters/printable.ts";
import type { Terminal } from "../../terminal.ts";
import { withActivity } from "../activity.ts";
import { projectFolder, readOptions } from "../options.ts";
import { makeWorkshop } from "../workshop.ts";
import { nightliesHelp } from "./nightliesHelp.ts";

const options = {
  index: { type: "string", multiple: true },
  package: { type: "string", multiple: true },
  torch: { type: "string", multiple: true },
  python: { type: "string" },
  variant: { type: "string" },
  platform: { type: "string" },
  all: { type: "boolean" },
  offline: { type: "boolean" },
  refresh: { type: "boolean" },
  probe: { type: "boolean" },
  format: { type: "string" },
  output: { type: "string", short: "o" },
  help: { type: "boolean", short: "h" },
} as const;

/** `abiding combinations nightlies`. Exit status: 0 something is known, 1 nothing fits or an index could not be read, 2 could not run. */
export async function nightlies(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readOptions("combinations nightlies", argv, options);
  if (values.help === true) {
    terminal.deliver(nightliesHelp, undefined);
    return 0;
  }
  if (values.offline === true && (values.refresh === true || values.probe === true)) {
    throw new UsageError(`--offline opens no connection, and --${values.refresh === true ? "refresh" : "probe"} asks for one.`);
  }
  const format = oneOf("--format", values.format, ["text", "json"], "text");
  const root = projectFolder("combinations nightlies", positionals, terminal.workingDirectory);
  const { settings, isWritten, problems } = readSettings(root);
  const wanted = { ...wantedOf(isWritten ? settings : undefined), ...wantedIn(values) };
  const packages = values.package ?? settings.packages;
  return withActivity(terminal, async (activity) => {
    for (const { message } of problems) activity.note(message);
    const records = recordsFile(root, settings);
    const report = await readNightlies({
      root, wanted, torch: values.torch ?? [], records,
      ...(packages === undefined ? {} : { packages }),
      offline: values.offline === true, refresh: values.refresh === true, probe: values.probe === true,
    }, makeWorkshop(terminal, activity));
    terminal.deliver(format === "json" ? jsonText(report) : nightliesText(printableDeep(report), values.all === true), values.output);
    return statusOf(report);
  });
}

/** What the options say of the wheels that are wanted. Throws UsageError. */
export function wantedIn(values: { readonly index?: string[] | undefined; readonly python?: string | undefined; readonly variant?: string | undefined; readonly platform?: string | undefined }): { readonly indexes?: readonly string[]; readonly python?: string; readonly variant?: string; readonly platform?: string } {
  const { index, python, variant, platform } = values;
  if (python !== undefined && !/^3\.\d+(?:\.\d+)?t?$/.test(python)) {
    throw new UsageError(`--python must be a version such as 3.12 or 3.13t; it is "${python}".`);
  }
  const system = platform === undefined ? undefined : oneOf("--platform", platform, ["linux-x86_64", "linux-aarch64", "macos-arm64", "macos-x86_64", "windows-amd64"], "linux-x86_64");
  return { ...(index === undefined ? {} : { indexes: index }), ...(python === undefined ? {} : { python }), ...(variant === undefined ? {} : { variant }), ...(system === undefined ? {} : { platform: system }) };
}

function statusOf({ sets, indexes }: NightliesReport): number {
  return sets.length === 0 || indexes.some((one) => one.package === "torch" && one.problem !== undefined) ? 1 : 0;
}
