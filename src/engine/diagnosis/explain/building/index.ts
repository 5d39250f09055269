import type { Recogniser } from "../types.ts";

export const buildingRecognisers: readonly Recogniser[] = [];
