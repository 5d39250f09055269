/** An index server of a test in the layout of PyTorch's: nightlies with real, tiny wheels that change on known days, siblings, and releases; in good and bad ways. */
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { makeWheel, metadataText, torchWheel, wheelName } from "./nightlyTorch.ts";
import type { Changes, Use } from "./nightlyTorch.ts";
import { RangeServer } from "./rangeServer.ts";

export interface NightlyIndexOptions {
  /** Day of the first nightly, "20261001". */
  readonly first?: string;
  readonly days?: number;
  /** Days on which there is no torch. */
  readonly holes?: readonly string[];
  /** The first day on which a change shows; see `Changes`. */
  readonly since?: Readonly<Partial<Record<Use, string>>>;
  /** Pages of nightlies list only so many of the newest versions. */
  readonly listed?: number;
  readonly pythons?: readonly string[];
  /** Local labels; each has its own pages. */
  readonly variants?: readonly string[];
  /** Of the nightlies. */
  readonly version?: string;
  /** Versions at the release index, each with the changes that it has. */
  readonly releases?: Readonly<Record<string, Changes>>;
  /** Days whose torch does not install: it asks for a package that nobody has. */
  readonly broken?: readonly string[];
  /** Of torchvision's nightlies: the day in the version -> the day of the torch that METADATA asks for. Default: the torch of the day before. */
  readonly vision?: Readonly<Record<string, string>>;
  /** METADATA beside the wheels (PEP 658). */
  readonly sidecars?: boolean;
  /** Bytes of each torch that do not get smaller by packing. */
  readonly padding?: number;
  /** "name:password": everything is refused to others. */
  readonly user?: string;
}

/** How the server misbehaves; everything off at the start. */
export interface Misbehaviour {
  /** "reset": connections break at once; a number: every answer has that status. */
  down?: "reset" | number;
  /** Milliseconds before each answer. */
  slow?: number;
  /** Pages are a web page of a proxy, with status 200. */
  errorPage?: boolean;
  /** Pages end in the middle, though their Content-Length says more. */
  tornPages?: boolean;
  /** "listed": JSON pages tell wrong sizes; "length": wheels end before the promised length; "range": Content-Range tells a wrong whole size. */
  lies?: "listed" | "length" | "range";
  /** Each file is listed twice, the second time with another hash. */
  duplicates?: boolean;
  /** Version without label -> reason. */
  yanked?: Readonly<Record<string, string>>;
  /** Versions without label whose wheels get other content under the same name. */
  changedContent?: readonly string[];
  /** Files that are answered with 404, by a part of their name. */
  gone?: readonly string[];
}

export interface ServedWheel {
  readonly package: "torch" | "torchvision";
  /** With label. */
  readonly version: string;
  readonly python: string;
  readonly file: string;
  readonly url: string;
  readonly day?: string;
  readonly gitVersion?: string;
}

interface Entry extends ServedWheel {
  readonly path: string;
  /** "nightly/cu130" or "simple". */
  readonly channel: string;
  readonly metadata: string;
  readonly make: (again: boolean) => Uint8Array;
}

/** The commit of a torch, made from its version. */
export function gitVersionOf(version: string): string {
  return createHash("sha1").update(version.replace(/\+.*$/, "")).digest("hex");
}

/** "20261002" is 1 day after "20261001". */
export function dayAfter(day: string, days: number): string {
  const date = Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6)));
  return new Date(date + days * 86_400_000).toISOString().slice(0, 10).replaceAll("-", "");
}

export class NightlyIndex {
  readonly server: RangeServer;
  readonly bad: Misbehaviour = {};
  /** All that is there, oldest first, listed or not. */
  readonly wheels: readonly ServedWheel[];
  readonly #options: NightlyIndexOptions;
  /** Also after the server was stopped. */
  readonly #origin: string;
  readonly #entries = new Map<string, Entry>();
  readonly #content = new Map<string, Uint8Array>();

  private constructor(server: RangeServer, options: NightlyIndexOptions) {
    this.server = server;
    this.#origin = server.origin;
    this.#options = options;
    this.wheels = [...this.#nightlies(), ...this.#releases()];
    server.trick = (request, response) => this.#answer(request, response);
  }

  static async start(options: NightlyIndexOptions = {}): Promise<NightlyIndex> {
    return new NightlyIndex(await RangeServer.start(), options);
  }

  /** For `--index-url`: the nightlies of a variant, by default the first. */
  nightly(variant: string = this.#variants[0] ?? "cu130"): string {
    return `${this.#origin}/whl/nightly/${variant}`;
  }

  /** The release index, in PyPI's layout: JSON for those who accept it. */
  get simple(): string {
    return `${this.#origin}/simple`;
  }

  /** "2.16.0.dev20261001+cu130". */
  version(day: string, variant: string = this.#variants[0] ?? "cu130"): string {
    return `${this.#options.version ?? "2.16.0"}.dev${day}+${variant}`;
  }

  wheel(packageName: ServedWheel["package"], version: string): ServedWheel {
    const found = this.wheels.find((one) => one.package === packageName && one.version === version);
    if (found === undefined) throw new Error(`the test's index has no ${packageName} ${version}`);
    return found;
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }

  get #variants(): readonly string[] {
    return this.#options.variants ?? ["cu130"];
  }

  #nightlies(): readonly ServedWheel[] {
    const { first = "20261001", days = 30, holes = [], since = {}, pythons = ["cp311"], broken = [], vision } = this.#options;
    const all = Array.from({ length: days }, (_, at) => dayAfter(first, at));
    const has = (use: Use, day: string): boolean => (since[use] ?? "99999999") <= day;
    return this.#variants.flatMap((variant) => pythons.flatMap((python) => all.flatMap((day) => {
      const version = this.version(day, variant);
      const changes = { removed: has("removed", day), changed: has("changed", day), behaves: has("behaves", day), slower: has("slower", day) };
      const torch = holes.includes(day) ? [] : [this.#add("torch", version, python, `nightly/${variant}`, broken.includes(day) ? ["nobody-has-this==1"] : ['numpy>=1.26 ; extra == "numpy"'], changes, day)];
      const wanted = vision === undefined ? dayAfter(day, -1) : vision[day];
      if (wanted === undefined) return torch;
      return [...torch, this.#add("torchvision", `0.31.0.dev${day}+${variant}`, python, `nightly/${variant}`, [`torch==${this.version(wanted, variant).replace(/\+.*/, "")}`], undefined, day)];
    })));
  }

  #releases(): readonly ServedWheel[] {
    const { releases = {}, pythons = ["cp311"] } = this.#options;
    return pythons.flatMap((python) => Object.entries(releases).flatMap(([version, changes]) => {
      const [, minor = "0", patch = "0"] = version.split(".");
      return [this.#add("torch", version, python, "simple", [], changes), this.#add("torchvision", `0.${Number(minor) + 15}.${patch}`, python, "simple", [`torch==${version}`])];
    }));
  }

  #add(name: ServedWheel["package"], version: string, python: string, channel: string, requires: readonly string[], changes: Changes = {}, day?: string): ServedWheel {
    const file = wheelName(name, version, python);
    const path = `${channel === "simple" ? "/files" : `/whl/${channel}`}/${encodeURIComponent(file)}`;
    const gitVersion = gitVersionOf(version);
    const wheel = { version, python, requires };
    const torch = { ...wheel, gitVersion, changes, ...(this.#options.padding === undefined ? {} : { padding: this.#options.padding }) };
    const make = (again: boolean): Uint8Array => {
      const seed = again ? { requires: [...requires, 'changed ; extra == "changed"'] } : {};
      return name === "torch" ? torchWheel({ ...torch, ...seed }) : makeWheel(name, { ...wheel, ...seed }, { "torchvision/__init__.py": `import torch\n__version__ = '${version}'\n`, "torchvision/version.py": `__version__ = '${version}'\ngit_version = '${gitVersion}'\n` });
    };
    const entry: Entry = { package: name, version, python, file, path, url: `${this.#origin}${path}`, channel, metadata: metadataText(name, wheel), make, ...(day === undefined ? {} : { day }), ...(name === "torch" ? { gitVersion } : {}) };
    this.#entries.set(path, entry);
    return entry;
  }

  /** Made when somebody asks: a year of wheels that nobody reads costs nothing. */
  #bytes(entry: Entry): Uint8Array {
    const again = this.bad.changedContent?.includes(entry.version.replace(/\+.*/, "")) ?? false;
    const key = `${entry.path}${again ? " again" : ""}`;
    const made = this.#content.get(key) ?? entry.make(again);
    this.#content.set(key, made);
    return made;
  }

  #answer(request: IncomingMessage, response: ServerResponse): boolean {
    const { bad } = this;
    if (bad.slow !== undefined && !response.headersSent && !waiting.has(response)) {
      waiting.add(response);
      const timer = setTimeout(() => { if (!this.#answer(request, response)) response.writeHead(500).end(); }, bad.slow);
      response.on("close", () => { clearTimeout(timer); });
      return true;
    }
    if (bad.down === "reset") {
      response.destroy();
      return true;
    }
    if (bad.down !== undefined) {
      response.writeHead(bad.down).end();
      return true;
    }
    if (this.#options.user !== undefined && request.headers.authorization !== `Basic ${Buffer.from(this.#options.user).toString("base64")}`) {
      response.writeHead(401, { "www-authenticate": "Basic" }).end();
      return true;
    }
    const path = new URL(request.url ?? "", this.#origin).pathname.replaceAll("+", "%2B");
    const page = /^\/(?:whl\/(nightly\/[^/]+)|(simple))\/([^/]+)\/(?:index\.html)?$/.exec(path);
    if (page !== null) {
      this.#page(page[1] ?? page[2] ?? "", page[3] ?? "", request, response);
      return true;
    }
    return this.#file(path, request, response);
  }

  #file(path: string, request: IncomingMessage, response: ServerResponse): boolean {
    const { bad } = this;
    const entry = this.#entries.get(path.replace(/\.metadata$/, ""));
    if (entry === undefined || bad.gone?.some((part) => entry.file.includes(part)) === true || (path.endsWith(".metadata") && this.#options.sidecars !== true)) {
      response.writeHead(404).end();
      return true;
    }
    if (path.endsWith(".metadata")) {
      response.writeHead(200, { "content-type": "text/plain" }).end(entry.metadata);
      return true;
    }
    const content = this.#bytes(entry);
    const etag = `"${createHash("sha256").update(content).digest("hex").slice(0, 16)}"`;
    const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
    const total = bad.lies === "range" ? content.length + 100_000 : content.length;
    const start = range === null ? 0 : Number(range[1]);
    if (start >= content.length) {
      response.writeHead(416, { "content-range": `bytes */${total}` }).end();
      return true;
    }
    const end = range === null || range[2] === "" ? content.length : Math.min(content.length, Number(range[2]) + 1);
    const part = content.subarray(start, end);
    response.writeHead(range === null ? 200 : 206, { "content-type": "application/zip", "accept-ranges": "bytes", etag, "content-length": String(part.length), ...(range === null ? {} : { "content-range": `bytes ${start}-${end - 1}/${total}` }) });
    if (request.method === "HEAD") {
      response.end();
    } else if (bad.lies === "length") {
      this.server.bytesSent += part.length >> 1;
      response.write(part.subarray(0, part.length >> 1), () => { response.destroy(); });
    } else {
      this.server.bytesSent += part.length;
      response.end(part);
    }
    return true;
  }

  #page(channel: string, name: string, request: IncomingMessage, response: ServerResponse): void {
    const { bad } = this;
    if (bad.errorPage === true) {
      response.writeHead(200, { "content-type": "text/html" }).end('<!DOCTYPE html><html><head><title>Sign in</title></head><body><h1>Sign in to the network</h1><a href="/login">Sign in</a></body></html>');
      return;
    }
    const offered = [...this.#entries.values()].filter((one) => one.channel === channel && one.package === name && bad.gone?.some((part) => one.file.includes(part)) !== true);
    if (offered.length === 0) {
      response.writeHead(404).end();
      return;
    }
    const versions = [...new Set(offered.map((one) => one.version))];
    const listed = channel === "simple" ? versions : versions.sort().slice(-(this.#options.listed ?? 60));
    const shown = offered.filter((one) => listed.includes(one.version));
    const asJson = channel === "simple" && (request.headers.accept ?? "").includes("application/vnd.pypi.simple.v1+json");
    const body = Buffer.from(asJson ? this.#json(name, shown) : this.#html(name, channel, shown));
    response.writeHead(200, { "content-type": asJson ? "application/vnd.pypi.simple.v1+json" : "text/html", "content-length": String(body.length) });
    if (bad.tornPages === true) response.write(body.subarray(0, body.length >> 1), () => { response.destroy(); });
    else response.end(body);
  }

  #html(name: string, channel: string, shown: readonly Entry[]): string {
    const link = (entry: Entry, fragment: string): string => {
      const yanked = this.bad.yanked?.[entry.version.replace(/\+.*/, "")];
      const sidecar = this.#options.sidecars === true ? ` data-dist-info-metadata="sha256=${sha256(entry.metadata)}" data-core-metadata="sha256=${sha256(entry.metadata)}"` : "";
      return `    <a href="${entry.path}${fragment}"${sidecar}${yanked === undefined ? "" : ` data-yanked="${yanked}"`}>${entry.file}</a><br/>`;
    };
    const lines = shown.flatMap((entry) => [
      // PyTorch leaves the hash out for nightlies.
      link(entry, channel === "simple" ? `#sha256=${sha256(this.#bytes(entry))}` : ""),
      ...(this.bad.duplicates === true ? [link(entry, `#sha256=${"0".repeat(64)}`)] : []),
    ]);
    return `<!DOCTYPE html>\n<html>\n  <body>\n    <h1>Links for ${name}</h1>\n${lines.join("\n")}\n  </body>\n</html>\n<!--TIMESTAMP 1790000000-->`;
  }

  #json(name: string, shown: readonly Entry[]): string {
    const files = shown.flatMap((entry) => {
      const bytes = this.#bytes(entry);
      const one = {
        filename: entry.file, url: entry.url, hashes: { sha256: sha256(bytes) }, size: bytes.length + (this.bad.lies === "listed" ? 1_000_000 : 0), "requires-python": ">=3.10",
        yanked: this.bad.yanked?.[entry.version] ?? false, ...(this.#options.sidecars === true ? { "core-metadata": { sha256: sha256(entry.metadata) } } : {}),
      };
      return this.bad.duplicates === true ? [one, { ...one, hashes: { sha256: "0".repeat(64) } }] : [one];
    });
    return JSON.stringify({ meta: { "api-version": "1.1" }, name, versions: [...new Set(shown.map((one) => one.version))], files });
  }
}

/** Answers that are waiting already. */
const waiting = new WeakSet<ServerResponse>();

function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
