import { stripVTControlCharacters } from "node:util";
import type { ProcessResult } from "../../process/types.ts";

interface Sign {
  readonly pattern: RegExp;
  /** Elsewhere or later it may work: nothing is said of the combination. */
  readonly isOfHere?: boolean;
  readonly say: (found: RegExpExecArray, wanted: string) => string;
}

/**
 * What pip and uv say when they cannot install, most telling first: a full disk and a network that fails end in "no matching
 * distribution" too. The words are those of pip's and uv's own sources and recordings.
 */
const signs: readonly Sign[] = [
  { isOfHere: true, pattern: /No space left on device|Disk quota exceeded|os error 28\b/, say: (_, wanted) => `There is no room left on the disk to install ${wanted}.` },
  { pattern: /THESE PACKAGES DO NOT MATCH THE HASHES|Hash mismatch|hash mismatch/, say: (_, wanted) => `A file of ${wanted} has another content than its index promises (its hash differs).` },
  { isOfHere: true, pattern: /Temporary failure in name resolution|Name or service not known|nodename nor servname|failed to lookup address information|dns error/, say: (_, wanted) => `${wanted} could not be installed: the name of the index's server could not be looked up. There may be no network.` },
  { isOfHere: true, pattern: /Connection refused|NewConnectionError|Network is unreachable|No route to host|ConnectTimeoutError|ReadTimeoutError|Read timed out|timed out|Connection reset|RemoteDisconnected|ConnectionError|IncompleteRead|incomplete message|error sending request|connection closed/, say: (_, wanted) => `${wanted} could not be installed: the index did not answer, or the connection to it broke.` },
  { isOfHere: true, pattern: /HTTP error (\d{3})|(\d{3}) (?:Client|Server) Error|HTTP status (?:client|server) error \((\d{3})/, say: ([, a, b, c], wanted) => `${wanted} could not be installed: the server answered with HTTP status ${a ?? b ?? c ?? ""}.` },
  // pip before 25 takes a connection that broke for the end of the file.
  { isOfHere: true, pattern: /Wheel '[^']+' located at \S+ is invalid|is an invalid wheel|BadZipFile|[Ii]nvalid (?:zip|wheel)|not a (?:valid )?zip|zip archive|Failed to unzip wheel/, say: (_, wanted) => `A file of ${wanted} is no wheel that can be unpacked; it may have been cut short on the way.` },
  { pattern: /is not a supported wheel on this platform/, say: (_, wanted) => `The wheel of ${wanted} is not for this Python and platform.` },
  { pattern: /requires a different Python|Requires-Python|requires-python|requires Python/, say: (_, wanted) => `${wanted} does not support this Python (its Requires-Python).` },
  { pattern: /Because (?:there (?:is|are) no versions? of )?([\w.-]+(?:==\S+)?)[^.]*?(?:was not found in the package registry|and you require|has no wheels with a matching)/s, say: ([, name]) => `The index has no ${name ?? "such package"} for this Python and platform.` },
  { pattern: /ResolutionImpossible|conflicting dependencies|No solution found|conflict is caused by/, say: (_, wanted) => `${wanted} cannot be installed together: their requirements exclude each other.` },
  { pattern: /No matching distribution found for ([^\s(]+)|Could not find a version that satisfies the requirement ([^\s(]+)/, say: ([, a, b]) => `The index has no ${a ?? b ?? "such package"} for this Python and platform.` },
  { pattern: /Failed to build|subprocess-exited-with-error|Building wheel for \S+ .*error|Failed building wheel/, say: (_, wanted) => `One of ${wanted} has no wheel for this Python and platform, and building it from its sources failed.` },
];

export interface NotInstalledBecause {
  /** In a sentence. */
  readonly message: string;
  readonly isOfHere: boolean;
}

/** Why an installation did not end well. `wanted`: what was to be installed, for people. */
export function whyNotInstalled({ ending, output }: ProcessResult, wanted: string): NotInstalledBecause {
  switch (ending.kind) {
    case "timed-out": return here(`Installing ${wanted} took longer than ${Math.round(ending.limit / 60_000)} min and was ended.`);
    case "signalled": return here(`Installing ${wanted} was ended by ${ending.signal}${ending.signal === "SIGKILL" ? ", as the system does when memory runs out" : ""}.`);
    case "not-started": return here(ending.message);
    case "cancelled": return here("It was cancelled.");
    case "exited": break;
  }
  const text = stripVTControlCharacters(output.text);
  for (const { pattern, say, isOfHere = false } of signs) {
    const found = pattern.exec(text);
    if (found !== null) {
      return { message: say(found, wanted), isOfHere };
    }
  }
  const last = text.split(/\r?\n/).findLast((line) => /^(?:ERROR|error)\b/.test(line.trim()));
  return here(`${wanted} could not be installed${last === undefined ? "; the log says why" : `: ${last.trim().replace(/^(?:ERROR|error): */, "")}`}.`.replace(/\.\.$/, "."));
}

function here(message: string): NotInstalledBecause {
  return { message, isOfHere: true };
}
