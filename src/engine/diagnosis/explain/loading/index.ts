/** What loaders and linkers say: a file that is refused, a library or a symbol that is not found, in every dialect. */
import type { Recogniser } from "../types.ts";
import { elfFileRecognisers } from "./elfFiles.ts";
import { elfSymbolRecognisers } from "./elfSymbols.ts";
import { failedLinkRecognisers } from "./failedLinks.ts";
import { undefinedReferenceRecognisers } from "./undefinedReferences.ts";

export const loadingRecognisers: readonly Recogniser[] = [...elfSymbolRecognisers, ...elfFileRecognisers, ...undefinedReferenceRecognisers, ...failedLinkRecognisers];
