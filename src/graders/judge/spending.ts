import { costOf, dollars } from "../../budget/index.js";
import { isTrialError } from "../../core/errors.js";
import type { ScoreMeter } from "../../core/evaluator.js";
import type { Price } from "../../core/price.js";
import type { Usage } from "../../core/system.js";
import type { JudgeAnswer } from "./judge-model.js";

/** What a call has used, as far as it is known. */
type Used = Pick<JudgeAnswer, "usage" | "costUsd">;

/** Reports what a call has used. Nobody knows what a call costs that tells no usage, or one without a price. */
export function report({ usage, costUsd }: Used, price: Price | null, meter: ScoreMeter | undefined): void {
  meter?.add({ costUsd: costUsd ?? priced(usage, price), ...(usage === undefined ? {} : { usage }) });
}

/** Reports what a failed call had used before it failed; one that never got an answer has used nothing. */
export function reportFailed(error: unknown, price: Price | null, meter: ScoreMeter | undefined): void {
  if (isTrialError(error) && error.spent !== undefined) report(error.spent, price, meter);
}

function priced(usage: Usage | undefined, price: Price | null): number | null {
  if (usage === undefined || price === null) return null;
  try {
    return dollars(costOf(price, usage));
  } catch {
    // Counts that are none, from a client of the user's own.
    return null;
  }
}
