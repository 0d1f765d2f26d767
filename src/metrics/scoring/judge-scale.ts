const SCALES = {
  binary: { low: 0, high: 1 },
  scale_1_5: { low: 1, high: 5 },
  scale_1_10: { low: 1, high: 10 },
} as const;

/** The scales a judge may answer on. */
export type JudgeScale = keyof typeof SCALES;

/**
 * Maps a judge's answer linearly to [0, 1]; an answer outside its scale is a RangeError, never clamped.
 * @example
 * normalizeJudgeScore(4, "scale_1_5"); // 0.75
 */
export function normalizeJudgeScore(score: number, scale: JudgeScale): number {
  if (!Object.hasOwn(SCALES, scale)) {
    throw new RangeError(`scale must be one of ${Object.keys(SCALES).join(", ")}, got ${String(scale)}`);
  }
  const { low, high } = SCALES[scale];
  if (!(score >= low && score <= high)) {
    throw new RangeError(`score must be from ${low} to ${high} on ${scale}, got ${score}`);
  }
  // A judge that answers 0.5 to a yes-or-no question has not answered it.
  if (scale === "binary" && !Number.isInteger(score))
    throw new RangeError(`score must be 0 or 1 on binary, got ${score}`);
  return (score - low) / (high - low);
}
