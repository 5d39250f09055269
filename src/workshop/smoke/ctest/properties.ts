import * as path from "node:path";
import type { Variables } from "../../process/types.ts";

/**
 * The properties of a CTest test that say how it runs and what its end means.
 * https://cmake.org/cmake/help/latest/manual/cmake-properties.7.html#properties-on-tests
 */
export interface Properties {
  readonly labels: readonly string[];
  readonly disabled: boolean;
  readonly willFail: boolean;
  readonly pass: readonly string[];
  readonly fail: readonly string[];
  readonly skip: readonly string[];
  readonly skipCode?: number;
  /** Milliseconds; 0: none. */
  readonly timeLimit?: number;
  readonly environment: readonly string[];
  readonly modifications: readonly string[];
  readonly folder?: string;
  readonly requiredFiles: readonly string[];
  readonly depends: readonly string[];
  readonly setsUp: readonly string[];
  readonly cleansUp: readonly string[];
  readonly requires: readonly string[];
}

/** Reads the `properties` of one test of `ctest --show-only=json-v1`. */
export function readProperties(given: unknown): Properties {
  const values = new Map<string, unknown>();
  for (const one of Array.isArray(given) ? (given as readonly unknown[]) : []) {
    if (typeof one === "object" && one !== null && "name" in one && typeof one.name === "string" && "value" in one) values.set(one.name, one.value);
  }
  const texts = (name: string): readonly string[] => {
    const value = values.get(name);
    return typeof value === "string" ? value.split(";").filter((part) => part !== "") : Array.isArray(value) ? value.filter((part): part is string => typeof part === "string") : [];
  };
  const skipCode = values.get("SKIP_RETURN_CODE");
  const timeout = values.get("TIMEOUT");
  const folder = values.get("WORKING_DIRECTORY");
  return {
    labels: texts("LABELS"),
    disabled: values.get("DISABLED") === true,
    willFail: values.get("WILL_FAIL") === true,
    pass: texts("PASS_REGULAR_EXPRESSION"),
    fail: texts("FAIL_REGULAR_EXPRESSION"),
    skip: texts("SKIP_REGULAR_EXPRESSION"),
    ...(typeof skipCode === "number" && skipCode >= 0 ? { skipCode } : {}),
    ...(typeof timeout === "number" && timeout >= 0 ? { timeLimit: Math.round(timeout * 1000) } : {}),
    environment: texts("ENVIRONMENT"),
    modifications: texts("ENVIRONMENT_MODIFICATION"),
    ...(typeof folder === "string" && folder !== "" ? { folder } : {}),
    requiredFiles: texts("REQUIRED_FILES"),
    depends: texts("DEPENDS"),
    setsUp: texts("FIXTURES_SETUP"),
    cleansUp: texts("FIXTURES_CLEANUP"),
    requires: texts("FIXTURES_REQUIRED"),
  };
}

/** The environment of a test: what ENVIRONMENT sets, then what ENVIRONMENT_MODIFICATION changes, in its order. */
export function environmentOf(base: Variables, { environment, modifications }: Pick<Properties, "environment" | "modifications">): Variables {
  const made: Record<string, string> = { ...base };
  for (const one of environment) {
    const at = one.indexOf("=");
    if (at > 0) made[one.slice(0, at)] = one.slice(at + 1);
    // As ctest has it, a name alone takes the variable away.
    else delete made[one];
  }
  const before = { ...made };
  for (const one of modifications) {
    const [, name, operation, value = ""] = /^([^=]+)=([a-z_]+):(.*)$/s.exec(one) ?? [];
    if (name === undefined || operation === undefined) continue;
    const next = modified(made[name], operation, value, before[name]);
    if (next === undefined) delete made[name];
    else made[name] = next;
  }
  return made;
}

function modified(now: string | undefined, operation: string, value: string, before: string | undefined): string | undefined {
  const joined = (separator: string, first: string | undefined, second: string | undefined): string =>
    [first, second].filter((part) => part !== undefined && part !== "").join(separator);
  switch (operation) {
    case "reset": return before;
    case "set": return value;
    case "unset": return undefined;
    case "string_append": return (now ?? "") + value;
    case "string_prepend": return value + (now ?? "");
    case "path_list_append": return joined(path.delimiter, now, value);
    case "path_list_prepend": return joined(path.delimiter, value, now);
    case "cmake_list_append": return joined(";", now, value);
    case "cmake_list_prepend": return joined(";", value, now);
    default: return now;
  }
}
