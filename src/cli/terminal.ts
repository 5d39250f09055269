/** What a command needs of the process around it. */
export interface Terminal {
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Standard output is a terminal that wants colours. */
  readonly colours: boolean;
  /** Shows how far long work has come, on standard error; nothing where nobody looks. */
  progress(text: string): void;
  /** Writes to standard error as it is, terminal sequences included. */
  say(text: string): void;
  /** Writes a report to standard output, or to a file. Throws UsageError when the file cannot be written. */
  deliver(text: string, file: string | undefined): void;
}
