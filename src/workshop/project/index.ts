/**
 * What can be done with a project: how it is built, which tests say whether it works, which programs measure it. Read from
 * abiding.json and from the project's own files, without starting anything.
 */
export { gantry } from "./gantry.ts";
export { belongingTo } from "./parts.ts";
export type { Belonging } from "./parts.ts";
export { readPytestSettings } from "./pytestSettings.ts";
export { readProject } from "./readProject.ts";
