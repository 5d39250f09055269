/** Names in words: over a mangled name in any document, what it says and which releases of torch have it. */
import * as vscode from "vscode";
import type { DemangledName } from "../../protocol/index.ts";
import { escaped } from "../markdown.ts";
import type { Server } from "../server.ts";
import { mangledNameAt } from "./links.ts";

/** Answers that are kept: a pointer that moves over a log asks for the same names again. */
const mostKept = 200;

/** Longest name that a hover shows whole. */
const longest = 2000;

export function registerSymbolHover(server: Server): vscode.Disposable {
  const known = new Map<string, Promise<DemangledName | null>>();
  const ask = (name: string): Promise<DemangledName | null> => {
    const answer = known.get(name) ?? server.request("abiding/demangle", { name });
    known.delete(name);
    known.set(name, answer);
    for (const oldest of known.keys()) {
      if (known.size <= mostKept) {
        break;
      }
      known.delete(oldest);
    }
    // A server that was gone may be there the next time.
    answer.catch(() => known.delete(name));
    return answer;
  };
  return vscode.languages.registerHoverProvider({ scheme: "*" }, {
    async provideHover(document, position) {
      const found = mangledNameAt(document.lineAt(position.line).text, position.character);
      if (found === undefined || !vscode.workspace.getConfiguration("abiding", document).get<boolean>("hover.symbols", true)) {
        return undefined;
      }
      // Nobody is told of a failure who only moved the pointer; the log has it.
      const answer = await ask(found.name).catch(() => null);
      if (answer === null) {
        return undefined;
      }
      const text = new vscode.MarkdownString();
      text.appendCodeblock(answer.demangled.length > longest ? `${answer.demangled.slice(0, longest)}…` : answer.demangled, "cpp");
      if (answer.life !== undefined) {
        text.appendMarkdown(escaped(answer.life));
      }
      return new vscode.Hover(text, new vscode.Range(position.line, found.start, position.line, found.end));
    },
  });
}
