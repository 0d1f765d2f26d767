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

/** Calls judge models with limited concurrency and retries, and meters each call. */
export class Desk {
  readonly #limit: Limit;
  readonly #options: DeskOptions;
  /** Models whose endpoint rejects a schema for the answer. */
  readonly #plain = new WeakSet<JudgeModel>();

  constructor(options: DeskOptions) {
    this.#options = options;
    this.#limit = new Limit(options.maxWorkers);
  }

  /** Keeps its slot while it waits for a retry, so that no other call hits an overloaded endpoint instead. */
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

/** Endpoints without support for schemas or tools answer with one of these statuses and name the feature. */
function refusesShape(error: unknown): boolean {
  if (!isTrialError(error) || error.category !== "api_error" || error.retry !== undefined) return false;
  const { message } = error;
  return (
    /answered (?:400|404|415|422|501)\b/.test(message) &&
    /schema|response_?format|text\.format|tool|structured/i.test(message)
  );
}

type Used = Pick<JudgeAnswer, "usage" | "costUsd">;

/** Reports the usage of a call. Without usage or a price its cost is unknown. */
function report({ usage, costUsd }: Used, price: Price | null, meter: ScoreMeter | undefined): void {
  meter?.add({ costUsd: costUsd ?? priced(usage, price), ...(usage === undefined ? {} : { usage }) });
}

/** Reports what a call used before it failed. A call that got no answer used nothing. */
function reportFailed(error: unknown, price: Price | null, meter: ScoreMeter | undefined): void {
  if (isTrialError(error) && error.spent !== undefined) report(error.spent, price, meter);
}

function priced(usage: Usage | undefined, price: Price | null): number | null {
  if (usage === undefined || price === null) return null;
  try {
    return dollars(costOf(price, usage));
  } catch {
    // A custom client may report invalid counts.
    return null;
  }
}
