/**
 * The places 0 … count − 1 in a random order that the seed decides, so that a reload shows the same order.
 * @example
 * shufflePlaces(3, 1); // for example [2, 0, 1]
 */
export function shufflePlaces(count: number, seed: number): number[] {
  const next = createRandom(seed);
  const places = Array.from({ length: count }, (_, place) => place);
  for (let last = count - 1; last > 0; last--) {
    const other = Math.floor(next() * (last + 1));
    const [a = 0, b = 0] = [places[last], places[other]];
    places[last] = b;
    places[other] = a;
  }
  return places;
}

/** Mulberry32: numbers from 0 to 1. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
