/** Packages that are released for one torch each. */
export const companions: readonly string[] = ["torchvision", "torchaudio", "torchtext"];
