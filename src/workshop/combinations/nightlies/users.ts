/** As whom package indexes are asked. What is remembered, recorded and published of an index is without its user. */
import { readFileSync } from "node:fs";
import * as path from "node:path";
import { netrcUser, parseAddress, withUserOf } from "../../../engine/binaries/remote/index.ts";
import type { Variables } from "../../process/types.ts";
import type { Workshop } from "../../workshop.ts";
import { readSettings } from "../cells/settings.ts";
import { namedIndexes } from "./projectIndexes.ts";

/** Addresses with users, with blanks between, for the cells of a run: their files name none. */
const handedOn = "ABIDING_INDEX_CREDENTIALS";
const installers = ["UV_DEFAULT_INDEX", "UV_INDEX", "UV_INDEX_URL", "UV_EXTRA_INDEX_URL", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"];

/** Users by what was named, then by abiding.json, the project's files, and the environment of pip and uv; at last by ~/.netrc. */
export class IndexUsers {
  readonly #root: string;
  readonly #named: readonly string[];
  readonly #environment: Variables;
  #known: readonly URL[] | undefined;
  #netrc: string | undefined;

  constructor(root: string, named: readonly string[], environment: Variables) {
    this.#root = root;
    this.#named = named;
    this.#environment = environment;
  }

  /** An address of a server with the user that is known for it; ~/.netrc is what pip and uv read themselves. */
  withUser(address: string): string {
    const user = URL.canParse(address) ? this.#nearest(new URL(address)) : undefined;
    return user === undefined ? address : withUserOf(user.href, address);
  }

  /** As `RemoteOptions` take it. */
  readonly authorization = (url: string): string | undefined => {
    const { authorization } = parseAddress(this.withUser(url));
    if (authorization !== undefined) return authorization;
    const user = netrcUser(this.#netrcText(), new URL(url).hostname);
    return user === undefined ? undefined : `Basic ${Buffer.from(`${user.login}:${user.password}`).toString("base64")}`;
  };

  /** Of several users of a server the one whose address has the most in common with this one. */
  #nearest(address: URL): URL | undefined {
    if (address.username !== "" || address.password !== "") return address;
    const same = this.#addresses().filter((one) => one.origin === address.origin);
    return same.toSorted((a, b) => shared(b.pathname, address.pathname) - shared(a.pathname, address.pathname))[0];
  }

  #addresses(): readonly URL[] {
    return (this.#known ??= [
      ...this.#named,
      ...(this.#environment[handedOn] ?? "").split(/\s+/),
      ...(readSettings(this.#root).settings.indexes ?? []),
      ...namedIndexes(this.#root),
      // uv's may be named: "company=https://…".
      ...installers.flatMap((name) => (this.#environment[name] ?? "").split(/\s+/).map((one) => one.replace(/^[\w.-]+=(?=https?:)/, ""))),
    ].flatMap((one) => withUserIn(one)));
  }

  #netrcText(): string {
    const home = this.#environment["HOME"] ?? this.#environment["USERPROFILE"];
    const places = this.#environment["NETRC"] === undefined ? [".netrc", "_netrc"].flatMap((name) => (home === undefined ? [] : [path.join(home, name)])) : [this.#environment["NETRC"]];
    return (this.#netrc ??= places.map(textOf).find((one) => one !== undefined) ?? "");
  }
}

/** Path segments that both begin with. */
function shared(a: string, b: string): number {
  const [one, other] = [a.split("/"), b.split("/")];
  const differs = one.findIndex((part, at) => part !== other[at]);
  return differs < 0 ? one.length : differs;
}

function withUserIn(address: string): readonly URL[] {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && (url.username !== "" || url.password !== "") ? [url] : [];
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** The workshop for cells that are tried with indexes whose users only the caller knows. */
export function handingOnUsers(workshop: Workshop, indexes: readonly string[]): Workshop {
  const known = indexes.filter((one) => withUserIn(one).length > 0);
  return known.length === 0 ? workshop : { ...workshop, environment: { ...workshop.environment, [handedOn]: known.join(" ") } };
}

/** What a cell's own processes get: no users that they have not asked for. */
export function withoutHandedOn(environment: Variables): Variables {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => name !== handedOn));
}
