import { setTimeout as sleep } from "node:timers/promises";
import { isTrialError } from "../core/errors.js";
import type { ScoreContext } from "../core/evaluator.js";
import { type RetryPolicy, retryOf, waitBeforeRetry } from "../core/retry.js";
import type { JudgeAnswer, JudgeModel, JudgeRequest, OpenModel } from "./judge-model.js";
import { Limiter } from "./limiter.js";
import { report, reportFailed } from "./spending.js";

export interface DeskOptions {
  readonly maxWorkers: number;
  readonly retry: RetryPolicy;
  readonly random: () => number;
}

/** Makes the calls of a judge: a few at a time, again when they fail for now, and each on the meter. */
export class Desk {
  readonly #limiter: Limiter;
  readonly #options: DeskOptions;
  /** Models whose endpoint refuses to be told what an answer must look like. */
  readonly #plain = new WeakSet<JudgeModel>();

  constructor(options: DeskOptions) {
    this.#options = options;
    this.#limiter = new Limiter(options.maxWorkers);
  }

  /** Keeps its place while it waits to ask again: an endpoint that is overloaded must not be asked by others instead. */
  ask(open: OpenModel, request: JudgeRequest, context: ScoreContext): Promise<JudgeAnswer> {
    return this.#limiter.run(context.signal, () => this.#askUntilAnswered(open, request, context));
  }

  async #askUntilAnswered(open: OpenModel, request: JudgeRequest, context: ScoreContext): Promise<JudgeAnswer> {
    let waitedMs = 0;
    for (let failed = 1; ; failed++) {
      try {
        return await this.#askOnce(open, request, context);
      } catch (error) {
        const wait = this.#waitAfter(error, { failed, waitedMs });
        if (wait === null) throw error;
        waitedMs += wait;
        await pause(wait, context.signal);
      }
    }
  }

  #waitAfter(error: unknown, tries: { failed: number; waitedMs: number }): number | null {
    const retry = retryOf(error);
    const { retry: policy, random } = this.#options;
    return retry === null ? null : waitBeforeRetry(retry, tries, { policy, random });
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

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    throw signal.reason;
  }
}
