import { normalizeModelName } from "../capabilities.js";
import type { DialectName } from "../dialects/dialect.js";
import type { ImageSize } from "./media.js";

/** Who reads an image, as far as it is known. */
export interface ImageReader {
  /** The name sent to the API. */
  readonly model: string;
  readonly dialect: DialectName;
}

/**
 * Counts the most tokens that an image is billed as, by the formula that its maker publishes for the model; for other
 * models, by the formula that gives the most. A size of null is that of an unknown image: the largest count.
 * @example
 * countImageTokens({ width: 1024, height: 1024 }, { model: "claude-opus-5-5", dialect: "anthropic" }); // 1399
 */
export function countImageTokens(size: ImageSize | null, { model, dialect }: ImageReader): number {
  const name = normalizeModelName(model);
  const rule = RULES.find(({ pattern }) => pattern.test(name));
  const counts = rule === undefined ? (USUAL[dialect] ?? RULES.map(({ count }) => count)) : [rule.count];
  const sizes = size === null ? LARGEST : [size];
  return Math.max(...counts.flatMap((count) => sizes.map(count)));
}

/** Images that every model scales down: a square, and the shape that has the most tiles. */
const LARGEST: readonly ImageSize[] = [
  { width: 8000, height: 8000 },
  { width: 8000, height: 3000 },
];

type ImageTokenCount = (size: ImageSize) => number;

/** OpenAI's older models: scaled into a square of 2048, then to a shorter side of 768, and cut into tiles of 512. */
function countTiles(base: number, each: number): ImageTokenCount {
  return ({ width, height }) => {
    const fit = Math.min(1, 2048 / Math.max(width, height));
    const scale = fit * Math.min(1, 768 / (Math.min(width, height) * fit));
    // The product may be off in its last digit.
    const along = (pixels: number) => Math.max(1, Math.ceil((pixels * scale) / 512 - 1e-9));
    return base + each * along(width) * along(height);
  };
}

/** OpenAI's newer models: patches of 32 pixels, at most a number of them, times a factor for small models. */
function countPatches(most: number, factor: number): ImageTokenCount {
  return ({ width, height }) => Math.ceil(Math.min(most, Math.ceil(width / 32) * Math.ceil(height / 32)) * factor);
}

/** Claude: an area of 750 pixels or a patch of 28 each, whichever gives more; larger images are scaled down. */
function countClaude(most: number): ImageTokenCount {
  return ({ width, height }) =>
    Math.min(most, Math.max(Math.ceil((width * height) / 750), Math.ceil(width / 28) * Math.ceil(height / 28)));
}

const GEMINI_TILE_TOKENS = 258;

/** Gemini 2: one tile up to 384 pixels a side; else tiles of two thirds of the shorter side, from 256 to 768. */
function countGeminiTiles({ width, height }: ImageSize): number {
  if (width <= 384 && height <= 384) return GEMINI_TILE_TOKENS;
  const side = Math.min(768, Math.max(256, Math.floor(Math.min(width, height) / 1.5)));
  return GEMINI_TILE_TOKENS * Math.ceil(width / side) * Math.ceil(height / side);
}

/** The first that matches counts. */
const RULES: readonly { readonly pattern: RegExp; readonly count: ImageTokenCount }[] = [
  { pattern: /^gpt-4o-mini/, count: countTiles(2833, 5667) },
  { pattern: /^(?:gpt-4\.1|gpt-5)-mini/, count: countPatches(1536, 1.62) },
  { pattern: /^(?:gpt-4\.1|gpt-5)-nano/, count: countPatches(1536, 2.46) },
  { pattern: /^o4-mini/, count: countPatches(1536, 1.72) },
  { pattern: /^(?:gpt-4o|gpt-4\.1|gpt-4-turbo|chatgpt-4o)/, count: countTiles(85, 170) },
  { pattern: /^o[13](?:-pro)?(?:-\d|$)/, count: countTiles(75, 150) },
  { pattern: /^gpt-5(?:-pro)?(?:-\d{4}-|$)/, count: countTiles(70, 140) },
  { pattern: /^(?:gpt|o)[-\d]/, count: countPatches(10_000, 2.46) },
  { pattern: /^claude-(?:3|instant|2|(?:opus|sonnet|haiku)-4(?:-[0-6])?(?:-\d{8}|@|$))/, count: countClaude(1600) },
  { pattern: /^claude-/, count: countClaude(4784) },
  { pattern: /^gemini-(?:1|2)/, count: countGeminiTiles },
  { pattern: /^gemini-3/, count: () => 1120 },
];

/** For unknown models of an API format that only one maker has. */
const USUAL: Readonly<Partial<Record<DialectName, readonly ImageTokenCount[]>>> = {
  anthropic: [countClaude(4784)],
  gemini: [countGeminiTiles, () => 1120],
};
