/** Rejects a value that is not an integer in [low, high], naming the argument. */
export function requireInteger(name: string, value: number, range: { low: number; high?: number }): void {
  const high = range.high ?? Number.MAX_SAFE_INTEGER;
  if (Number.isSafeInteger(value) && value >= range.low && value <= high) return;
  const expected = range.high === undefined ? `an integer >= ${range.low}` : `an integer from ${range.low} to ${high}`;
  throw new RangeError(`${name} must be ${expected}, got ${value}`);
}

/** Rejects a value outside the closed unit interval, naming the argument. */
export function requireProbability(name: string, value: number): void {
  if (value >= 0 && value <= 1) return;
  throw new RangeError(`${name} must be between 0 and 1, got ${value}`);
}

/** Rejects a value outside the open unit interval, naming the argument. */
export function requireOpenProbability(name: string, value: number): void {
  if (value > 0 && value < 1) return;
  throw new RangeError(`${name} must be strictly between 0 and 1, got ${value}`);
}

/** Rejects a value that is not a finite number above zero, naming the argument. */
export function requirePositive(name: string, value: number): void {
  if (value > 0 && value < Number.POSITIVE_INFINITY) return;
  throw new RangeError(`${name} must be a finite number above 0, got ${value}`);
}

/** Rejects arrays that should run in parallel but differ in length, naming both. */
export function requireSameLength(names: string, first: number, second: number): void {
  if (first === second) return;
  throw new RangeError(`${names} must have the same length, got ${first} and ${second}`);
}
