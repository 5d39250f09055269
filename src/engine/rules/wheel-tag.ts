import { otherPlace } from "./binaries/wheelInstall.ts";
import { wheelFindings } from "./binaries/wheels.ts";
import type { Rule } from "./rule.ts";

const promises = new Set(["platform-tag", "python-tag", "abi3", "pure", "record", "name"]);

/** Installers choose a wheel by its name: what the name promises has to be true of the files inside. */
export const wheelTag: Rule = {
  name: "wheel-tag",
  severity: "error",
  summary: "A wheel's name or metadata promises what the files in it do not keep.",
  check: (context) => [...wheelFindings(wheelTag, context, (one) => promises.has(one.kind)), ...otherPlace(wheelTag, context)],
};
