import { passAtK, passToTheK } from "../../stats/index.js";
import type { MultiTrialMetrics } from "./types.js";

/** What stands in where there were no trials. */
export const NO_TRIALS: Readonly<MultiTrialMetrics> = Object.freeze({
  perTrialPassRate: 0,
  passAtK: 0,
  passToTheK: 0,
  k: 0,
});

/**
 * Pass rate, pass@k and p^k of the trials of one stimulus, with k = the number of trials.
 * @example
 * computeMultiTrialMetrics([true, true, false, true, true]); // { perTrialPassRate: 0.8, passAtK: 1, passToTheK: 0.32768, k: 5 }
 */
export function computeMultiTrialMetrics(trialPassed: readonly boolean[]): MultiTrialMetrics {
  const k = trialPassed.length;
  if (k === 0) throw new RangeError("trialPassed must hold at least one trial");
  const passes = trialPassed.filter(Boolean).length;
  const perTrialPassRate = passes / k;
  return { perTrialPassRate, passAtK: passAtK(k, passes, k), passToTheK: passToTheK(perTrialPassRate, k), k };
}
