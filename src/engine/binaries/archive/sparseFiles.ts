import { MemberFiles } from "./memberFiles.ts";

/** An archive of which some members, or only their heads, were fetched: shows all names, and the content that is there. */
export class SparseFiles extends MemberFiles {
  readonly #contents = new Map<string, Uint8Array>();

  /** Puts a member's content, or its first bytes, under its name. */
  put(name: string, bytes: Uint8Array): void {
    this.#contents.set(name, bytes);
  }

  protected override bytesOf(name: string): Uint8Array | undefined {
    return this.#contents.get(name);
  }
}
