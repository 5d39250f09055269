import type { Condition } from "../../../model/index.ts";
import type { RequirementSetting, SourceText } from "./collector.ts";
import type { YamlText } from "./yamlText.ts";

const selectors: Readonly<Record<string, string>> = {
  linux: "sys_platform == 'linux'", linux64: "sys_platform == 'linux' and platform_machine == 'x86_64'", osx: "sys_platform == 'darwin'", win: "sys_platform == 'win32'",
  unix: "sys_platform != 'win32'", x86_64: "platform_machine == 'x86_64'", aarch64: "platform_machine == 'aarch64'", arm64: "platform_machine == 'arm64'",
  "not linux": "sys_platform != 'linux'", "not osx": "sys_platform != 'darwin'", "not win": "sys_platform != 'win32'", "not x86_64": "platform_machine != 'x86_64'",
};

/** What the selector in the comment behind a requirement, as in `- pytorch 2.8.*  # [linux]`, says of where it counts: a marker for platforms, else a condition. */
export function selectorBehind(source: SourceText, text: YamlText): Pick<RequirementSetting, "marker" | "conditions"> | undefined {
  const lineEnd = source.text.indexOf("\n", text.end);
  const selector = /^["']?\s*#\s*\[([^\]]+)\]/.exec(source.text.slice(text.end, lineEnd < 0 ? undefined : lineEnd))?.[1]?.trim();
  if (selector === undefined) return undefined;
  const marker = platformMarker(selector);
  return marker === undefined ? { conditions: [selectorCondition(source, selector, text)] } : { marker };
}

/** A selector about platforms as a marker; undefined for others. */
function platformMarker(selector: string): string | undefined {
  return selectors[selector.replace(/\s+/g, " ")];
}

function selectorCondition(source: SourceText, selector: string, text: YamlText): Condition {
  const negated = /^not\s+(\w+)$/.exec(selector);
  return { text: selector, id: `${source.path}#[${negated?.[1] ?? selector}]`, branch: negated ? 1 : 0, location: source.location(text.start, text.end) };
}
