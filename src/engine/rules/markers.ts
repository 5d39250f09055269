/** Environment markers of requirements (PEP 508), as far as the torch to check against tells the environment. */
import { evaluateMarker, parseMarker, valueOf } from "../model/index.ts";
import type { MarkerEnvironment } from "../model/index.ts";
import type { RuleContext } from "./rule.ts";

const systems: Readonly<Record<string, MarkerEnvironment>> = {
  linux: { sys_platform: "linux", platform_system: "Linux", os_name: "posix" },
  macos: { sys_platform: "darwin", platform_system: "Darwin", os_name: "posix" },
  windows: { sys_platform: "win32", platform_system: "Windows", os_name: "nt" },
};

/** Whether a requirement is in force where the torch to check against lives; not when its marker asks for what is not known. */
export function applies(context: RuleContext, marker: string | undefined): boolean {
  if (marker === undefined) return true;
  const parsed = parseMarker(marker);
  return parsed !== undefined && evaluateMarker(parsed, environmentOf(context)) === true;
}

function environmentOf(context: RuleContext): MarkerEnvironment {
  const facts = context.installed?.facts ?? [];
  const python = valueOf(facts, "python-version");
  const [system = "", machine] = (valueOf(facts, "platform") ?? "").split("-");
  return {
    ...systems[system],
    ...(machine === undefined ? {} : { platform_machine: machine }),
    ...(python === undefined ? {} : { python_version: python.split(".").slice(0, 2).join("."), ...(python.split(".").length > 2 ? { python_full_version: python } : {}) }),
  };
}
