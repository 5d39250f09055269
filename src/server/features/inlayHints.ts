/** What a target ends up with, and the torch that a search or a pin resolves to, at the end of the text that says so. */
import { InlayHintKind } from "vscode-languageserver/node";
import type { InlayHint, Range } from "vscode-languageserver/node";
import { isPartial, targetValues } from "../../engine/diagnosis/index.ts";
import type { Diagnosis } from "../../engine/diagnosis/index.ts";
import type { DeclaredBody, Location } from "../../engine/model/index.ts";
import { comparePositions, factsOf, observationsOf, valueOf } from "../../engine/model/index.ts";
import { conditionSuffix, joinWords, languagesPhrase, torchName } from "../../engine/rules/support.ts";
import { code, placeLink } from "../markdown.ts";
import type { Settings } from "../settings.ts";

export function inlayHints(path: string, range: Range, diagnosis: Diagnosis, settings: Settings["inlayHints"]): InlayHint[] {
  const hints: InlayHint[] = [];
  const inside = (location: Location): boolean =>
    location.path === path && comparePositions(range.start, location.range.end) <= 0 && comparePositions(location.range.end, range.end) <= 0;
  if (settings.targets) {
    const seen = new Set<string>();
    for (const body of diagnosis.declared) {
      const { location } = body.target;
      const label = inside(location) ? targetLabel(body) : undefined;
      const key = `${location.range.end.line}:${location.range.end.character}:${label ?? ""}`;
      if (label !== undefined && !seen.has(key)) {
        seen.add(key);
        hints.push(hint(location, label, tooltipOf(body, diagnosis.root)));
      }
    }
  }
  const versions = diagnosis.installed.flatMap((body) => valueOf(body.facts, "torch-version") ?? []);
  if (settings.torch && versions.length > 0) {
    for (const location of torchPlaces(diagnosis)) {
      if (inside(location)) {
        hints.push(hint(location, `torch ${versions.join(", ")}`, `Checked against ${joinWords(diagnosis.installed.map(torchName))}.`));
      }
    }
  }
  return hints;
}

function hint(location: Location, label: string, tooltip: string): InlayHint {
  return { position: location.range.end, label, kind: InlayHintKind.Type, paddingLeft: true, tooltip: { kind: "markdown", value: tooltip } };
}

/** `find_package(Torch)` and requirements of torch that leave the version open. */
function torchPlaces(diagnosis: Diagnosis): Location[] {
  const searches = observationsOf(diagnosis.observations, "package-search").filter((one) => one.name.toLowerCase() === "torch");
  const pins = diagnosis.requirements.filter((one) => one.name === "torch" && !/===?[^,*]+$/.test(one.specifier));
  return [...searches.map((one) => one.evidence.location), ...pins.map((one) => one.location)];
}

/** "ABI 0 · C++17, CUDA C++14"; languages are named where they differ. */
function targetLabel(body: DeclaredBody): string | undefined {
  const parts: string[] = [];
  for (const [trait, prefix] of [["libstdcxx-abi", "ABI "], ["cxx-standard", "C++"]] as const) {
    const values = targetValues(body, trait, (fact) => (fact.value === undefined ? (fact.follows === undefined ? "?" : `from ${fact.follows}`) : String(fact.value)));
    const texts = values.map((value) => {
      const own = `${prefix}${value.text}`;
      if (!isPartial(value, body)) {
        return own;
      }
      // "C++17" speaks for itself beside "CUDA C++14"; an ABI that only one compiler has does not.
      return value.languages.includes("CXX") ? (values.length === 1 && trait === "libstdcxx-abi" ? `${own} for C++ only` : own) : `${languagesPhrase(value.languages)} ${own}`;
    });
    if (texts.length > 0) {
      parts.push(texts.join(", "));
    }
  }
  return parts.length === 0 ? undefined : parts.join(" · ");
}

function tooltipOf(body: DeclaredBody, root: string): string {
  const lines = (["libstdcxx-abi", "cxx-standard"] as const).flatMap((trait) => factsOf(body.facts, trait).flatMap((fact) => {
    const [first] = fact.evidence;
    return first.kind === "source" ? [`- ${code(first.text)} at ${placeLink(first.location, root)}${conditionSuffix(fact.conditions)}`] : [];
  }));
  return [`What \`${body.target.name}\` is compiled with, set by`, "", ...new Set(lines)].join("\n");
}
