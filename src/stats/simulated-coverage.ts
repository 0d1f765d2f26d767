import type { OpenInterval } from "./intervals.js";
import { createRandom, type Random } from "./random.js";

/** The share of seeded experiments whose interval contains the true value. */
export function measureCoverage(
  truth: number,
  experiments: number,
  experiment: (random: Random) => OpenInterval,
): number {
  const random = createRandom(`coverage of ${truth} in ${experiments}`);
  let covered = 0;
  for (let i = 0; i < experiments; i++) {
    const { low, high } = experiment(random);
    if ((low ?? Number.NEGATIVE_INFINITY) <= truth && truth <= (high ?? Number.POSITIVE_INFINITY)) covered++;
  }
  return covered / experiments;
}
