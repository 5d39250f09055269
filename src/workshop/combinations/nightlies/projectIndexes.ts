/** Which indexes a project takes its torch from. */
import { NodeFiles } from "../../../engine/files/index.ts";
import { normaliseName } from "../../../engine/model/index.ts";
import type { Variables } from "../../process/types.ts";
import { readProjectPins } from "../pins/projectPins.ts";

const pypi = "https://pypi.org/simple";

/**
 * Those that the project's files name for torch or the packages (`--index-url`, `-f`, uv's indexes), else the one that pip
 * or uv is set to by the environment, else PyPI.
 */
export function projectIndexes(root: string, packages: readonly string[], environment: Variables): readonly string[] {
  const names = new Set(["torch", ...packages.map(normaliseName)]);
  const named = readProjectPins(root, new NodeFiles()).requirements.filter((one) => names.has(one.name));
  const urls = [...new Set(named.flatMap((one) => one.indexUrls).filter(isAddress))];
  // Without an `--index-url` of its own, a line's further indexes stand beside the usual one.
  const isReplaced = urls.length > 0 && named.every((one) => one.indexUrls.length === 0 || one.replacesDefaultIndex === true || one.indexUrls.some((url) => isAddress(url) && url.includes("//download.pytorch.org/")));
  return isReplaced ? urls : [...new Set([...urls, usual(environment)])];
}

/** All indexes that the project's files name, for whatever. */
export function namedIndexes(root: string): readonly string[] {
  return [...new Set(readProjectPins(root, new NodeFiles()).requirements.flatMap((one) => one.indexUrls).filter(isAddress))];
}

function usual(environment: Variables): string {
  return [environment["UV_DEFAULT_INDEX"], environment["UV_INDEX_URL"], environment["PIP_INDEX_URL"]].find((one) => one !== undefined && isAddress(one)) ?? pypi;
}

/** Not what a shell or a template would have to fill in first. */
function isAddress(text: string): boolean {
  return /^https?:\/\/[^\s$(){}<>|'"`]+$/i.test(text) && URL.canParse(text);
}
