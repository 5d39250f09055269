/** What a machine, a network or a user is called is no part of what is published. */
import * as os from "node:os";
import * as path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { escapedPattern, relativeTo, withoutCredentials } from "../records/withoutPrivate.ts";

/** Names that no public server has: RFC 6761, RFC 6762, RFC 8375, and what networks commonly use within. */
const insideNames = /(?:^|\.)(?:localhost|local|internal|intranet|lan|corp|private|home|test|invalid|example|home\.arpa)$/i;
/** RFC 1918, RFC 6598, loopback and link-local addresses (RFC 6890), and their like in IPv6 (RFC 4193, RFC 4291). */
const insideNumbers = /^(?:10\.|127\.|0\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|\[(?:::1?|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:))/i;

/** An address as others can use it: without user, password and query; undefined where only this machine or network reaches it. */
export function publicAddress(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname } = new URL(address);
  const isReached = (protocol === "https:" || protocol === "http:") && hostname.includes(".") && !insideNames.test(hostname) && !insideNumbers.test(hostname);
  return isReached ? withoutCredentials(address) : undefined;
}

const addresses = /\b(?:https?|ftp|ssh|git\+\w+|file):\/\/[^\s"'`<>)\]}]+/gi;
/** An absolute path where one may begin: after a space, a quote, a bracket, an option that takes a folder, the "@" of a response file. */
const paths = /(?<=^|[\s"'`([{<=,;|@]|-[BFILo]|-isystem|:(?=[/~A-Za-z]))(?:~|[A-Za-z]:)?[\\/]{1,2}(?:[^\s"'`<>|:;,()[\]{}\\/]+[\\/]+)+[^\s"'`<>|:;,()[\]{}\\/]*/g;
/** In quotes it may hold spaces. */
const quotedPaths = /(["'`])(?:~|[A-Za-z]:)?[\\/]{1,2}[^"'`\n\\/]+[\\/][^"'`\n]*\1/g;

/** Takes what is private out of texts; see `publishable`. */
export class Privacy {
  readonly #root: string;
  readonly #host: RegExp | undefined;

  constructor(root: string, host = os.hostname()) {
    this.#root = root.replace(/[\\/]+$/, "");
    // A host called "linux" would take the word out of every text.
    const names = [host, host.split(".")[0] ?? ""].filter((name) => /[-.\d]/.test(name) && name.length > 2);
    this.#host = names.length === 0 ? undefined : new RegExp(`(?<![\\w.-])(?:${names.map(escapedPattern).join("|")})(?![\\w-])`, "gi");
  }

  /** Paths of the project become relative to it, of others only the last name is left; addresses lose their users. */
  text(coloured: string): string {
    // The end of a colour's code would hide the begin of a path.
    const written = stripVTControlCharacters(coloured);
    let result = "";
    let at = 0;
    for (const match of written.matchAll(addresses)) {
      result += this.#places(written.slice(at, match.index)) + this.#address(match[0]);
      at = match.index + match[0].length;
    }
    result += this.#places(written.slice(at));
    return this.#host === undefined ? result : result.replaceAll(this.#host, "this machine");
  }

  /** A whole path, in which spaces end nothing. */
  path(written: string): string {
    const isOwn = written === this.#root || written.startsWith(`${this.#root}${path.sep}`);
    return isOwn || !/^(?:[A-Za-z]:)?[\\/]/.test(written) ? this.text(written) : lastName(written);
  }

  #address(address: string): string {
    const end = /[.,;:!?]+$/.exec(address)?.[0] ?? "";
    const whole = address.slice(0, address.length - end.length);
    return `${publicAddress(whole) === undefined ? "an address of this network" : withoutUser(whole)}${end}`;
  }

  #places(text: string): string {
    const own = this.#root === "" ? text : relativeTo(this.#root, text);
    return own.replaceAll(quotedPaths, (found, quote: string) => `${quote}${lastName(found.slice(1, -1))}${quote}`).replaceAll(paths, lastName);
  }
}

/** What is left of a path: its last name, unless that is a user's. */
function lastName(found: string): string {
  const parts = found.split(/[\\/]/).filter((part) => part !== "");
  const isHome = /^(?:home|users|homes|user)$/i.test(parts.at(-2) ?? "");
  return isHome ? "…" : `…/${parts.at(-1) ?? ""}`;
}

function withoutUser(address: string): string {
  return address.replace(/^(\w+:\/\/)[^/@]*@/, "$1").replace(/[?#].*$/, "");
}

/** A value with every text in it, at any depth, without what is private. Keys stay. */
export function publishable<T>(value: T, privacy: Privacy): T {
  return made(value, privacy, new Map()) as T;
}

function made(value: unknown, privacy: Privacy, known: Map<string, string>): unknown {
  if (typeof value === "string") {
    // Versions, outcomes and names stand in thousands of records.
    const before = known.get(value) ?? privacy.text(value);
    if (value.length < 200) known.set(value, before);
    return before;
  }
  if (Array.isArray(value)) return value.map((one) => made(one, privacy, known));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, key === "path" && typeof one === "string" ? privacy.path(one) : made(one, privacy, known)]));
}
