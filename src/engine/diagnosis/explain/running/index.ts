/** What fails at run time: bindings, CUDA, operators, checks of packages, aborts, names of Python. */
import type { Recogniser } from "../types.ts";
import { abortsRecogniser } from "./aborts.ts";
import { cudaRecogniser } from "./cuda/index.ts";
import { gatesRecogniser } from "./gates.ts";
import { namesRecogniser } from "./modules.ts";
import { operatorsRecogniser } from "./operators.ts";
import { bindingsRecogniser } from "./pybind11/index.ts";
import { versionChecksRecogniser } from "./versionChecks.ts";

export const runningRecognisers: readonly Recogniser[] = [bindingsRecogniser, cudaRecogniser, operatorsRecogniser, gatesRecogniser, versionChecksRecogniser, abortsRecogniser, namesRecogniser];
