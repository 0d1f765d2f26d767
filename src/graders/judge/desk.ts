import { costOf, dollars } from "../../budget/index.js";
import { isTrialError } from "../../core/errors.js";
import type { ScoreContext, ScoreMeter } from "../../core/evaluator.js";
import type { Price } from "../../core/price.js";
import { type RetryPolicy, retryOf, waitBeforeRetry } from "../../core/retry.js";
import type { Usage } from "../../core/system.js";
import { Limit } from "../../utils/limit.js";
import { retry, type Tries } from "../../utils/retry.js";
import type { JudgeAnswer, JudgeModel, JudgeRequest, OpenModel } from "./judge-model.js";

export interface DeskOptions {
  readonly maxWorkers: number;
  readonly retry: RetryPolicy;
  readonly random: () => number;
}

/** Makes the calls of a judge: a few at a time, again when they fail for now, and each on the meter. */
export class Desk {
  readonly #limit: Limit;
  readonly #options: DeskOptions;
  /** Models whose endpoint refuses to be told what an answer must look like. */
  readonly #plain = new WeakSet<JudgeModel>();

  constructor(options: DeskOptions) {
    this.#options = options;
    this.#limit = new Limit(options.maxWorkers);
  }

  /** Keeps its place while it waits to ask again: an endpoint that is overloaded must not be asked by others instead. */
  ask(open: OpenModel, request: JudgeRequest, context: ScoreContext): Promise<JudgeAnswer> {
    const { signal } = context;
    const waitAfter = (error: unknown, tries: Tries) => this.#waitAfter(error, tries);
    const ask = () => retry(() => this.#askOnce(open, request, context), { waitAfter, signal });
    return this.#limit.run(ask, signal);
  }

  #waitAfter(error: unknown, tries: Tries): number | null {
    const asked = retryOf(error);
    const { retry: policy, random } = this.#options;
    return asked === null ? null : waitBeforeRetry(asked, tries, { policy, random });
  }

  async #askOnce(open: OpenModel, request: JudgeRequest, context: ScoreContext): Promise<JudgeAnswer> {
    const { model } = open;
    const isPlain = this.#plain.has(model);
    try {
      return await metered(open, isPlain ? withoutShape(request) : request, context);
    } catch (error) {
      if (isPlain || !refusesShape(error)) throw error;
      this.#plain.add(model);
    }
    return metered(open, withoutShape(request), context);
  }
}

async function metered({ model, price }: OpenModel, request: JudgeRequest, context: ScoreContext) {
  const { signal, meter } = context;
  signal.throwIfAborted();
  try {
    const answer = await model.ask(request, signal);
    report(answer ?? {}, price, meter);
    return answer ?? {};
  } catch (error) {
    reportFailed(error, price, meter);
    throw error;
  }
}

function withoutShape({ system, messages }: JudgeRequest): JudgeRequest {
  return { system, messages };
}

/** An endpoint that will not hear of schemas or tools says so with a status that speaks of the request, and by name. */
function refusesShape(error: unknown): boolean {
  if (!isTrialError(error) || error.category !== "api_error" || error.retry !== undefined) return false;
  const { message } = error;
  return (
    /answered (?:400|404|415|422|501)\b/.test(message) &&
    /schema|response_?format|text\.format|tool|structured/i.test(message)
  );
}

/** What a call has used, as far as it is known. */
type Used = Pick<JudgeAnswer, "usage" | "costUsd">;

/** Reports what a call has used. Nobody knows what a call costs that tells no usage, or one without a price. */
function report({ usage, costUsd }: Used, price: Price | null, meter: ScoreMeter | undefined): void {
  meter?.add({ costUsd: costUsd ?? priced(usage, price), ...(usage === undefined ? {} : { usage }) });
}

/** Reports what a failed call had used before it failed; one that never got an answer has used nothing. */
function reportFailed(error: unknown, price: Price | null, meter: ScoreMeter | undefined): void {
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
