import type { Recogniser } from "../types.ts";

export const runningRecognisers: readonly Recogniser[] = [];
