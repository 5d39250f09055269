import type { Severity } from "../engine/model/index.ts";

export interface Settings {
  readonly enable: boolean;
  /** What to check against; wins over an interpreter that the editor found. */
  readonly environment: string | undefined;
  readonly rules: Readonly<Record<string, Severity | "off">>;
  readonly inlayHints: { readonly targets: boolean; readonly torch: boolean };
  readonly codeLens: boolean;
}

export const defaultSettings: Settings = {
  enable: true,
  environment: undefined,
  rules: {},
  inlayHints: { targets: true, torch: true },
  codeLens: true,
};

const severities: readonly string[] = ["error", "warning", "info", "hint", "off"];

/** The `abiding` section as a client sends it. What is not understood is named and its default used. */
export function readSettings(raw: unknown): { readonly settings: Settings; readonly problems: readonly string[] } {
  const problems: string[] = [];
  if (raw === null || raw === undefined) {
    return { settings: defaultSettings, problems };
  }
  if (!isRecord(raw)) {
    return { settings: defaultSettings, problems: [`The abiding settings must be an object, not ${nameOf(raw)}.`] };
  }
  const boolean = (section: Record<string, unknown>, key: string, name: string, otherwise: boolean): boolean => {
    const value = section[key];
    if (value === undefined || value === null) {
      return otherwise;
    }
    if (typeof value !== "boolean") {
      problems.push(`The setting ${name} must be true or false, not ${nameOf(value)}; ${otherwise} is used.`);
      return otherwise;
    }
    return value;
  };
  const hints = isRecord(raw.inlayHints) ? raw.inlayHints : {};
  const lens = isRecord(raw.codeLens) ? raw.codeLens : {};
  const settings: Settings = {
    enable: boolean(raw, "enable", "abiding.enable", defaultSettings.enable),
    environment: readEnvironment(raw.environment, problems),
    rules: readRules(raw.rules, problems),
    inlayHints: {
      targets: boolean(hints, "targets", "abiding.inlayHints.targets", defaultSettings.inlayHints.targets),
      torch: boolean(hints, "torch", "abiding.inlayHints.torch", defaultSettings.inlayHints.torch),
    },
    codeLens: boolean(lens, "enable", "abiding.codeLens.enable", defaultSettings.codeLens),
  };
  return { settings, problems };
}

function readEnvironment(raw: unknown, problems: string[]): string | undefined {
  if (raw === undefined || raw === null || raw === "") {
    return undefined;
  }
  if (typeof raw !== "string") {
    problems.push(`The setting abiding.environment must be text (a path or torch==VERSION), not ${nameOf(raw)}; it is ignored.`);
    return undefined;
  }
  return raw;
}

function readRules(raw: unknown, problems: string[]): Record<string, Severity | "off"> {
  const rules: Record<string, Severity | "off"> = {};
  if (raw === undefined || raw === null) {
    return rules;
  }
  if (!isRecord(raw)) {
    problems.push(`The setting abiding.rules must be an object of rule names and severities, not ${nameOf(raw)}; it is ignored.`);
    return rules;
  }
  for (const [rule, severity] of Object.entries(raw)) {
    if (isSeverity(severity)) {
      rules[rule] = severity;
    } else {
      problems.push(`The setting abiding.rules gives ${rule} the severity ${JSON.stringify(severity)}; it must be one of ${severities.join(", ")}. The rule keeps its default.`);
    }
  }
  return rules;
}

function isSeverity(value: unknown): value is Severity | "off" {
  return typeof value === "string" && severities.includes(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function nameOf(value: unknown): string {
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : JSON.stringify(value) ?? typeof value;
}
