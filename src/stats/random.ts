import { requireInteger } from "./distributions.js";

/** A seeded stream of random numbers; the same seed gives the same stream on every machine. */
export interface Random {
  /** A number in [0, 1) with 53 random bits. */
  next: () => number;
  /** An integer in [0, n), without modulo bias. */
  int: (n: number) => number;
  /** 32 random bits as an unsigned integer. */
  uint32: () => number;
}

/** A seed of a random stream. */
export type Seed = number | string;

const TWO_32 = 2 ** 32;
/** Up to here a 32-bit draw times n is exact in a double, as the unbiased multiplication requires. */
const MAX_EXACT_INT = 2 ** 21;

function mixWord(hash: number, word: number): number {
  let k = Math.imul(word, 0xcc9e2d51);
  k = Math.imul((k << 15) | (k >>> 17), 0x1b873593);
  const h = hash ^ k;
  return (Math.imul((h << 13) | (h >>> 19), 5) + 0xe6546b64) | 0;
}

function mixSeed(hash: number, part: Seed): number {
  const text = typeof part === "string" ? part : String(part);
  // Type and length come first, so that ("ab", "c"), ("a", "bc") and 1, "1" are different seeds.
  let h = mixWord(mixWord(hash, typeof part === "number" ? 1 : 2), text.length);
  for (let i = 0; i < text.length; i++) h = mixWord(h, text.charCodeAt(i));
  return h;
}

/**
 * An unsigned 32-bit hash of its parts in order (MurmurHash3 mixing), for deriving one seed from another.
 * @example
 * const trialSeed = hashSeed(runSeed, exampleId, trial);
 */
export function hashSeed(...parts: readonly Seed[]): number {
  let h = parts.length;
  for (const part of parts) h = mixSeed(h, part);
  return finalizeHash(h);
}

/**
 * A faster `hashSeed` of three parts for many calls that share the first.
 * @example
 * const trialSeed = createSeedHasher(runSeed);
 * trialSeed("example-1", 0) === hashSeed(runSeed, "example-1", 0);
 */
export function createSeedHasher(first: Seed): (second: Seed, third: Seed) => number {
  const start = mixSeed(3, first);
  return (second, third) => finalizeHash(mixSeed(mixSeed(start, second), third));
}

function finalizeHash(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** xoshiro128**. The state is a typed array, because closure variables above 31 bits would be boxed at every step. */
export function createXoshiro128(state: Int32Array): () => number {
  return () => {
    let s0 = state[0] ?? 0;
    let s1 = state[1] ?? 0;
    let s2 = state[2] ?? 0;
    let s3 = state[3] ?? 0;
    const scrambled = Math.imul(s1, 5);
    const result = Math.imul((scrambled << 7) | (scrambled >>> 25), 9) >>> 0;
    const shifted = s1 << 9;
    s2 ^= s0;
    s3 ^= s1;
    s1 ^= s2;
    s0 ^= s3;
    state[0] = s0;
    state[1] = s1;
    state[2] = s2 ^ shifted;
    state[3] = (s3 << 11) | (s3 >>> 21);
    return result;
  };
}

/**
 * Creates a fast random stream.
 * @example
 * const random = createRandom("run-42");
 * const coin = random.next() < 0.5;
 */
export function createRandom(seed: Seed): Random {
  // The last word is forced odd, because an all-zero state produces only zeros.
  const state = Int32Array.of(hashSeed(seed, 0), hashSeed(seed, 1), hashSeed(seed, 2), hashSeed(seed, 3) | 1);
  const uint32 = createXoshiro128(state);
  const next = () => ((uint32() >>> 5) * 67108864 + (uint32() >>> 6)) / 9007199254740992;

  // Lemire's multiplication: the slow remainder is needed for fewer than n in 2^32 draws.
  const int = (n: number) => {
    // Also true for NaN, which the loop below would never accept.
    if (!(n <= MAX_EXACT_INT)) return Math.floor(next() * n);
    for (;;) {
      const product = uint32() * n;
      const high = Math.floor(product / TWO_32);
      const low = product - high * TWO_32;
      if (low >= n || low >= (TWO_32 - n) % n) return high;
    }
  };
  return { next, int, uint32 };
}

/**
 * The numbers 0..n-1 in random order.
 * @example
 * const order = permutation(examples.length, createRandom(seed));
 */
export function permutation(n: number, random: Random): Uint32Array {
  requireInteger("n", n, { low: 0, high: TWO_32 - 1 });
  const order = new Uint32Array(n);
  for (let i = 0; i < n; i++) {
    const j = random.int(i + 1);
    order[i] = order[j] ?? 0;
    order[j] = i;
  }
  return order;
}

/**
 * A copy of the items in random order.
 * @example
 * shuffle(["a", "b", "c"], createRandom(7));
 */
export function shuffle<T>(items: readonly T[], random: Random): T[] {
  return Array.from(permutation(items.length, random), (index) => items[index] as T);
}

/** Marsaglia's polar method. */
export function sampleNormal(random: Random): number {
  for (;;) {
    const u = 2 * random.next() - 1;
    const v = 2 * random.next() - 1;
    const s = u * u + v * v;
    if (s > 0 && s < 1) return u * Math.sqrt((-2 * Math.log(s)) / s);
  }
}

/** Unit scale, shape >= 1 (Marsaglia and Tsang), at a cost independent of the shape. */
export function sampleGamma(shape: number, random: Random): number {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = sampleNormal(random);
    const v = (1 + c * x) ** 3;
    if (v <= 0) continue;
    if (Math.log(1 - random.next()) < 0.5 * x * x + d * (1 - v + Math.log(v))) return d * v;
  }
}

/** Both parameters must be >= 1. */
export function sampleBeta(a: number, b: number, random: Random): number {
  const x = sampleGamma(a, random);
  return x / (x + sampleGamma(b, random));
}
