import { detectableDifference } from "../../stats/index.js";
import { alphaOf, type Detectable } from "./comparison.js";

const POWER = 0.8;

/** What is known of a comparison of scores once it is made. */
export interface MeasuredDesign {
  /** Tasks, and how many of them, or of their groups, are independent. */
  n: number;
  units: number;
  trialsA: number;
  trialsB: number;
  se: number | null;
  smallestP: number;
  level: number;
}

/** The smallest difference of scores that a design finds four times in five, at its level and without adjustment. */
export function detectableBy(design: MeasuredDesign): Detectable {
  const { n, units, se, smallestP } = design;
  const alpha = alphaOf(design.level);
  const spread = se === null || se === 0 ? "assumed" : "measured";
  if (smallestP >= alpha) return { difference: null, power: POWER, spread, reason: tooFew(units) };
  const difference =
    se === null || se === 0
      ? detectableDifference({ n: units, ...trialsOf(design), alpha, power: POWER })
      : detectableDifference({ n, omega2: se ** 2 * n, sigmaA2: 0, sigmaB2: 0, alpha, power: POWER });
  if (difference <= 1) return { difference, power: POWER, spread };
  return { difference: null, power: POWER, spread, reason: "only one of more than 1, which scores cannot differ by" };
}

function tooFew(units: number): string {
  return units === 0 ? "no paired tasks" : "too few tasks for any difference to show";
}

/** Trials per task, rounded down: the lesser of two designs. */
function trialsOf({ n, trialsA, trialsB }: MeasuredDesign): { trialsA: number; trialsB: number } {
  const perTask = (trials: number) => Math.max(1, Math.floor(trials / n));
  return { trialsA: perTask(trialsA), trialsB: perTask(trialsB) };
}
