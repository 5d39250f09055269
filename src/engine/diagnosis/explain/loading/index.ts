/** What loaders and linkers say: a file that is refused, a library or a symbol that is not found, in every dialect. */
import type { Recogniser } from "../types.ts";
import { dyldRecognisers } from "./dyld.ts";
import { elfFileRecognisers } from "./elfFiles.ts";
import { elfSymbolRecognisers } from "./elfSymbols.ts";
import { failedLinkRecognisers } from "./failedLinks.ts";
import { pythonRecognisers } from "./python.ts";
import { repairRecognisers } from "./repairs.ts";
import { undefinedReferenceRecognisers } from "./undefinedReferences.ts";
import { windowsRecognisers } from "./windows.ts";

export const loadingRecognisers: readonly Recogniser[] = [...elfSymbolRecognisers, ...elfFileRecognisers, ...undefinedReferenceRecognisers, ...failedLinkRecognisers, ...dyldRecognisers, ...windowsRecognisers, ...pythonRecognisers, ...repairRecognisers];
