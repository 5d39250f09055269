/** A mangled name in words, and from when to when torch exports it: the request behind hovers over names. */
import type { CancellationToken } from "vscode-languageserver/node";
import { symbolLives } from "../../engine/binaries/history/index.ts";
import type { ReleaseRange, SymbolLife } from "../../engine/binaries/history/index.ts";
import { demangle } from "../../engine/binaries/mangling/index.ts";
import { loadSymbolHistory } from "../../engine/catalogue/index.ts";
import type { DemangledName, Requests } from "../../protocol/index.ts";
import type { Answer } from "../server.ts";
import type { Session } from "../session.ts";

export function registerDemangle({ connection }: Session, answer: Answer): void {
  const method: keyof Requests = "abiding/demangle";
  connection.onRequest(method, ({ name }: Requests[typeof method]["params"], token: CancellationToken) => answer<DemangledName | null>(method, token, null, () => demangled(name)));
}

/** null: it is no mangled name that can be read. */
export function demangled(name: string): DemangledName | null {
  const symbol = bare(name);
  const text = demangle(symbol);
  if (text === undefined) {
    return null;
  }
  const life = lifeOf(symbol);
  return { demangled: text, ...(life === undefined ? {} : { life }) };
}

/** Without what is not of the name: the version that ELF adds behind it, the underscores that Mach-O adds before it, the thunk prefix of Windows. */
function bare(name: string): string {
  return name.replace(/@.*$/s, "").replace(/^__imp_/, "").replace(/^_+Z/, "_Z");
}

/** undefined: names of its kind are not recorded. */
function lifeOf(symbol: string): string | undefined {
  const history = loadSymbolHistory();
  // What a compiler split off a function has no life of its own.
  const whole = symbol.replace(/\..*$/s, "");
  const [life] = symbolLives(whole, history);
  return life === undefined ? (history.isRecorded(whole) ? "No recorded release of torch exports it." : undefined) : sentence(life, whole);
}

function sentence(life: SymbolLife, symbol: string): string {
  const { libraries, unrecorded, successor } = life;
  const spelling = life.spellings.find((one) => one.symbol === symbol);
  const libraryWords = libraries.length === 0 ? "" : `, ${libraries.join(", ")}`;
  const open = unrecorded.before !== null && unrecorded.after !== null ? "; the releases around these are not recorded" : unrecorded.before !== null ? "; those just before are not recorded" : unrecorded.after !== null ? "; those just after are not recorded" : "";
  const abi = spelling === undefined || spelling.libstdcxxAbi === null ? "" : ` Its std::string is that of _GLIBCXX_USE_CXX11_ABI=${spelling.libstdcxxAbi}.`;
  const next = successor === undefined ? "" : ` Then followed ${successor.demangled}.`;
  return `Exported by torch ${range(life)}${libraryWords}${open}.${abi}${next}`;
}

function range({ since, until }: ReleaseRange): string {
  return until === null ? `${since} and later` : since === until ? since : `${since} to ${until}`;
}
