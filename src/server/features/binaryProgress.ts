/** How far an answer about a binary is, told to whoever asked. */
import type { CancellationToken, Connection } from "vscode-languageserver/node";
import type { Notifications } from "../../protocol/index.ts";

/** In milliseconds. */
const progressInterval = 100;

/** Tells whoever asked how far the answer is, not oftener than one can read, and nothing once nobody waits for it. */
export function teller(connection: Pick<Connection, "sendNotification">, question: string | undefined, token: CancellationToken): (what: string) => void {
  const method: keyof Notifications = "abiding/binaryProgress";
  let told = Number.NEGATIVE_INFINITY;
  return (message) => {
    const now = performance.now();
    if (question !== undefined && !token.isCancellationRequested && now - told >= progressInterval) {
      told = now;
      const params: Notifications[typeof method] = { question, message };
      connection.sendNotification(method, params).catch(() => undefined);
    }
  };
}
