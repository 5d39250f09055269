/** A sound file that is damaged for a reader. Must survive structured cloning: it is handed to workers. */
export interface Original {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Where the file's structure is; damage falls there more often than elsewhere. */
  readonly structure: readonly { readonly offset: number; readonly size: number }[];
}

/** One reader that must survive any input. */
export interface Subject {
  readonly name: string;
  /** Called once. `folder` is empty, and removed afterwards. An empty answer: what it takes is not here. */
  originals(folder: string): Promise<readonly Original[]>;
  /** Reads the damaged bytes in every way there is, and throws on what must not happen. */
  read(bytes: Uint8Array, original: Original): Promise<void>;
}
