import type { Recogniser } from "../types.ts";

export const loadingRecognisers: readonly Recogniser[] = [];
