/** Numbers from 0 up to 1 that are the same for the same seed: xorshift32 (Marsaglia, Journal of Statistical Software 8, 2003). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 0x1_0000_0000;
  };
}
