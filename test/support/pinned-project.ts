import { readRequirements } from "../../src/engine/sources/python/requirements/index.ts";
import { RuleProject } from "./rule-project.ts";

/** A project under /p whose requirements are read from its files; with `native`, /p/setup.py makes an extension that includes torch. */
export function pinnedProject(files: Readonly<Record<string, string>>, native = true): RuleProject {
  const texts: Record<string, string> = { "/p/setup.py": "ops\nimport torch\n", "/p/ops.cpp": "#include <torch/extension.h>\n" };
  for (const [name, text] of Object.entries(files)) texts[`/p/${name}`] = text;
  const project = new RuleProject(texts);
  if (native) project.target("/p/setup.py", ["/p/ops.cpp"], { builder: "setuptools", kind: "extension", madeBy: "CppExtension" });
  for (const name of Object.keys(files)) {
    if (name.endsWith(".py") || name.endsWith(".cpp")) continue;
    const reading = readRequirements(`/p/${name}`, project.files);
    project.requirements.push(...reading.requirements);
    project.observations.push(...reading.observations);
  }
  return project;
}
