/** Numbers from 0 up to 1 that are the same for the same seed: xorshift32 (Marsaglia, Journal of Statistical Software 8, 2003). */
export function randomNumbers(seed: number): () => number {
  // A seed of few bits would begin with small numbers: its bits are spread first (the step of MurmurHash3's end).
  let state = Math.imul(seed ^ (seed >>> 16) ^ 0x9e3779b9, 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 0x1_0000_0000;
  };
}
