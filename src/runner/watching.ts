import type { Output, TrialContext } from "../core/system.js";
import type { Trial } from "./admit.js";
import { score } from "./score.js";

/**
 * Lets a system ask whether its trial would pass as it stands, where every evaluator can tell while the work is going on;
 * undefined where one cannot.
 */
export function watchOf(trial: Trial, threshold: number, signal: AbortSignal): TrialContext["passes"] {
  const { evaluators } = trial.wiring;
  const canWatch =
    evaluators.length > 0 && evaluators.every((evaluator) => evaluator.canWatch?.(trial.example) === true);
  if (!canWatch) return undefined;
  return async (soFar: Output) => {
    const { primaryField, scores } = await score(trial, soFar, { signal });
    const value = primaryField === null ? undefined : scores[primaryField];
    return value !== undefined && value >= threshold;
  };
}
