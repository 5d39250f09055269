/**
 * Whether a request failed because the server was gone before it answered: the client's own codes for what happened to the
 * connection (MessageWriteError to ConnectionInactive in vscode-jsonrpc). Written here because its values are in the client.
 */
export function isConnectionLost(error: unknown): boolean {
  return error instanceof Error && "code" in error && typeof error.code === "number" && error.code >= -32099 && error.code <= -32096;
}
