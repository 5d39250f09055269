/** The experiments of the lab, by theme. */
import type { Experiment } from "../experiment.ts";
import { cudas } from "./cuda.ts";
import { dependencies, torchLater } from "./dependencies.ts";
import { files } from "./files.ts";
import { headers } from "./headers.ts";
import { orders } from "./order.ts";
import { ownSymbols } from "./own.ts";
import { processes } from "./process.ts";
import { samples } from "./sample.ts";
import { torchSymbols } from "./torch-symbols.ts";
import { pythons, versions } from "./versions.ts";

export const experiments: readonly Experiment[] = [...files, ...ownSymbols, ...torchSymbols, ...dependencies, ...torchLater, ...versions, ...pythons, ...headers, ...cudas, ...processes, ...orders, ...samples];
