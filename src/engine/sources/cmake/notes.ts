import type { Condition, IneffectiveSetting } from "../../model/index.ts";
import type { Call } from "./call.ts";
import type { Guard } from "./guards.ts";
import type { Command, DefinitionNode, SourceFile } from "./syntax.ts";
import type { Directory } from "./target.ts";
import type { Frame } from "./value.ts";

/** What an evaluation keeps for those who look at the whole when it is done. */
export class Notes {
  /** Questions about torch's ABI whose failure nobody would notice. */
  readonly abiQuestions: { readonly call: Call; readonly variable: string; readonly conditions: readonly Condition[] }[] = [];
  /** Uses of TORCH_CXX_FLAGS. */
  readonly torchFlagUses: { readonly command: Command; readonly file: SourceFile; readonly start: number; readonly end: number; readonly path: Guard; readonly frame: Frame | undefined }[] = [];
  /** Every file that was evaluated. */
  readonly sources = new Set<SourceFile>();
  /** Functions and macros that somebody called. */
  readonly called = new Set<DefinitionNode>();
  /** Commands that set the standard or the architectures for targets that come later. */
  readonly standardSets: { readonly name: string; readonly directory: Directory; readonly targetsBefore: number; readonly call: Call; readonly text: string; readonly conditions: readonly Condition[] }[] = [];
  /** Settings of flags that drop what the user passes; of interest where the project uses torch. */
  readonly droppedUserFlags: IneffectiveSetting[] = [];
  /** Files that are filled in and installed for others, such as package configurations. */
  readonly templates = new Set<string>();
  /** Every file that configure_file fills in: it may read any variable. */
  readonly filledIn = new Set<string>();
}
