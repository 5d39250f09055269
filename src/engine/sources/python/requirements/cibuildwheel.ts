import { Collector } from "./collector.ts";
import type { RequirementSetting, SourceText } from "./collector.ts";
import { readInstallCommand } from "./installCommand.ts";
import { shellCommands } from "./shellWords.ts";
import { tomlArray, tomlAt, tomlTable } from "./tomlText.ts";
import type { TomlNode, TomlTable } from "./tomlText.ts";

/** One table of settings and where it counts. */
interface Scope {
  readonly table: TomlNode | undefined;
  readonly setting: Pick<RequirementSetting, "marker" | "conditions">;
}

const platforms: Readonly<Record<string, string>> = { linux: "linux", macos: "darwin", windows: "win32" };

/**
 * What the environment that builds a wheel fixes for the compilers and for torch, and what cibuildwheel installs there with pip.
 * Source: cibuildwheel.pypa.io, options `environment`, `before-build`, `test-requires`.
 */
export function readCibuildwheel(source: SourceText, root: TomlTable, collector: Collector, add: (node: TomlNode, setting: RequirementSetting) => void): void {
  for (const { table, setting } of scopesOf(source, root)) {
    for (const [name, node] of tomlTable(table, "environment")) pushEnvironment(source, collector, name, node.kind === "string" ? node.value : undefined, node.start, node.end);
    const text = tomlAt(table, "environment");
    if (text?.kind === "string") {
      for (const match of text.value.matchAll(/(?:^|\s)([A-Za-z_]\w*)=("[^"]*"|'[^']*'|\S*)/g)) pushEnvironment(source, collector, match[1] ?? "", (match[2] ?? "").replace(/^["']|["']$/g, ""), text.start, text.end);
    }
    for (const node of tomlArray(table, "test-requires")) add(node, { role: "development", group: "cibuildwheel tests", ...setting });
    const command = tomlAt(table, "before-build");
    for (const node of command?.kind === "array" ? command.elements : command ? [command] : []) readCommand(source, node, collector, { role: "development", group: "cibuildwheel before-build", ...setting });
  }
}

/** The table for all platforms counts where the one of a platform does not say otherwise. */
function scopesOf(source: SourceText, root: TomlTable): readonly Scope[] {
  const general = tomlAt(root, "tool", "cibuildwheel");
  if (general === undefined) return [];
  const special = Object.entries(platforms).map(([name, system]) => ({ table: tomlAt(general, name), system }));
  const elsewhere = special.filter(({ table }) => tomlAt(table, "before-build") ?? tomlAt(table, "test-requires")).map(({ system }) => `sys_platform != '${system}'`);
  const overrides = tomlArray(general, "overrides").map((table, index): Scope => {
    const location = source.location(table.start, table.end);
    return { table, setting: { conditions: [{ text: "this override of cibuildwheel", id: `${source.path}#cibuildwheel${index}`, branch: 0, location }] } };
  });
  return [
    { table: general, setting: elsewhere.length === 0 ? {} : { marker: elsewhere.join(" and ") } },
    ...special.map(({ table, system }): Scope => ({ table, setting: { marker: `sys_platform == '${system}'` } })),
    ...overrides,
  ];
}

/** A command counts for what it installs alone: its files and options say nothing of how the package itself is built. */
function readCommand(source: SourceText, node: TomlNode, collector: Collector, setting: RequirementSetting): void {
  if (node.kind !== "string") return;
  const { value, content } = node;
  const own = new Collector(collector.files);
  const offsets = Array.from({ length: value.length }, (_, index) => (content === undefined ? node.start : content + index));
  for (const command of shellCommands(source, value, offsets, new Map())) readInstallCommand(source, command, own, setting);
  collector.requirements.push(...own.requirements);
}

function pushEnvironment(source: SourceText, collector: Collector, name: string, value: string | undefined, start: number, end: number): void {
  const observed = { evidence: source.evidence(start, end), conditions: [] };
  if (name === "TORCH_CUDA_ARCH_LIST" || name === "CUDAARCHS" || name === "PYTORCH_ROCM_ARCH") {
    collector.observations.push({ kind: "architecture-list", variable: name, value, ...observed });
  }
  if (name === "PIP_NO_BUILD_ISOLATION" && value !== undefined && /^(0|false|no|off)$/i.test(value)) {
    // pip reads the variable as the value of build isolation itself, so "false" switches it off.
    collector.observations.push({ kind: "build-isolation", isolated: false, packages: [], ...observed });
  }
}
