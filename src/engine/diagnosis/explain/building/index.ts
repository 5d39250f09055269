/** What fails while something is built or installed: compilers, CUDA toolkits, CMake, pip and uv, torch.utils.cpp_extension. */
import type { Recogniser } from "../types.ts";
import { architectureRecognisers } from "./architectures.ts";
import { cmakeRecognisers } from "./cmake.ts";
import { cmakeToolkitRecognisers } from "./cmakeToolkits.ts";
import { condaRecognisers } from "./conda.ts";
import { headerRecognisers } from "./headers.ts";
import { hostCompilerRecognisers } from "./hostCompiler.ts";
import { isolationRecognisers } from "./isolation.ts";
import { jitRecognisers } from "./jit.ts";
import { removedRecognisers } from "./removed.ts";
import { requirementRecognisers } from "./requirements.ts";
import { sourceErrors } from "./sourceErrors.ts";
import { stableHeaderRecognisers } from "./stableHeaders.ts";
import { standardRecognisers } from "./standard.ts";
import { toolkitRecognisers } from "./toolkit.ts";

const compilers: readonly Recogniser[] = [...architectureRecognisers, ...hostCompilerRecognisers, ...standardRecognisers, ...stableHeaderRecognisers, ...headerRecognisers, ...removedRecognisers, ...jitRecognisers];

export const buildingRecognisers: readonly Recogniser[] = [...toolkitRecognisers, ...compilers, sourceErrors(compilers), ...isolationRecognisers, ...requirementRecognisers, ...condaRecognisers, ...cmakeRecognisers, ...cmakeToolkitRecognisers];
