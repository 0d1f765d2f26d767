import { computeCost, toDollars } from "../../budget/index.js";
import type { Price, ScoreContext, ScoreMeter, Usage } from "../../core/index.js";
import { computeRetryDelay, getRetry, isTrialError, type RetryPolicy } from "../../core/index.js";
import { convertToText } from "../../evaluators/index.js";
import type { Message } from "../../models/index.js";
import { ConcurrencyLimit, type RetryState, retry } from "../../utils/index.js";
import type { JudgeAnswer, JudgeModel, JudgeRequest, OpenModel } from "./judge-model.js";
import type { AnswerForm } from "./judgement.js";
import { findLastObject } from "./objects-in-text.js";
import { formatCorrection } from "./prompt.js";

export interface JudgeQuestion<T> {
  readonly form: AnswerForm<T>;
  readonly system: string;
  readonly message: string;
}

/** The judge's parsed answer, or why it cannot be used. */
export type ParsedVerdict<T> = { readonly said: T } | { readonly problem: string };

/** A judge model and the client that calls it. */
export interface JudgeSession {
  readonly open: OpenModel;
  readonly client: JudgeClient;
  readonly context: ScoreContext;
}

/** Asks a judge, and once more if its answer cannot be used. Throws if its endpoint fails. */
export async function askJudge<T>(
  { open, client: desk, context }: JudgeSession,
  question: JudgeQuestion<T>,
): Promise<ParsedVerdict<T>> {
  const { form, system, message } = question;
  const ask = (messages: readonly Message[]) =>
    desk.ask(open, { system, messages, answer: form.shape, ...selectTrial(context) }, context);
  const first = await ask([{ role: "user", parts: [message] }]);
  const heard = readJudgeAnswer(first, form);
  if ("said" in heard) return heard;
  const second = await ask(buildRetryMessages(message, first, formatCorrection(heard.problem, form)));
  const again = readJudgeAnswer(second, form);
  return "said" in again ? again : { problem: `the judge's answer could not be used, twice: ${again.problem}` };
}

/** Without an answer in between, both texts go into one message: not every endpoint accepts two user messages in a row. */
function buildRetryMessages(message: string, { response }: JudgeAnswer, again: string): Message[] {
  const answered = convertToText(response);
  if (answered.trim() === "") return [{ role: "user", parts: [message, again] }];
  return [
    { role: "user", parts: [message] },
    { role: "assistant", parts: [answered] },
    { role: "user", parts: [again] },
  ];
}

function readJudgeAnswer<T>({ response, stopped }: JudgeAnswer, form: AnswerForm<T>): ParsedVerdict<T> {
  const text = convertToText(response);
  if (stopped === "refused") return { problem: "it is a refusal" };
  const fields = findLastObject(text, (object) => form.fits(object));
  if (fields === null) return { problem: describeMissingAnswer(text, stopped) };
  const said = form.read(fields);
  return typeof said === "string" ? { problem: said } : { said };
}

function describeMissingAnswer(text: string, stopped: JudgeAnswer["stopped"]): string {
  if (stopped !== undefined && stopped !== null) return "it was cut off before its JSON object was complete";
  return text.trim() === "" ? "it is empty" : "it holds no JSON object with what was asked for";
}

export interface JudgeClientOptions {
  readonly maxWorkers: number;
  readonly retry: RetryPolicy;
  readonly random: () => number;
}

/** Calls judge models with limited concurrency and retries, and meters each call. */
export class JudgeClient {
  readonly #limit: ConcurrencyLimit;
  readonly #options: JudgeClientOptions;
  /** Models whose endpoint rejects a schema for the answer. */
  readonly #plain = new WeakSet<JudgeModel>();

  constructor(options: JudgeClientOptions) {
    this.#options = options;
    this.#limit = new ConcurrencyLimit(options.maxWorkers);
  }

  /** Keeps its slot while it waits for a retry, so that no other call hits an overloaded endpoint instead. */
  ask(open: OpenModel, request: JudgeRequest, context: ScoreContext): Promise<JudgeAnswer> {
    const { signal } = context;
    const waitAfter = (error: unknown, tries: RetryState) => this.#waitAfter(error, tries);
    const ask = () => retry(() => this.#askOnce(open, request, context), { waitAfter, signal });
    return this.#limit.run(ask, signal);
  }

  #waitAfter(error: unknown, tries: RetryState): number | null {
    const asked = getRetry(error);
    const { retry: policy, random } = this.#options;
    return asked === null ? null : computeRetryDelay(asked, tries, { policy, random });
  }

  async #askOnce(open: OpenModel, request: JudgeRequest, context: ScoreContext): Promise<JudgeAnswer> {
    const { model } = open;
    const isPlain = this.#plain.has(model);
    try {
      return await askMetered(open, isPlain ? omitShape(request) : request, context);
    } catch (error) {
      if (isPlain || !isShapeRefusal(error)) throw error;
      this.#plain.add(model);
    }
    return askMetered(open, omitShape(request), context);
  }
}

async function askMetered({ model, price }: OpenModel, request: JudgeRequest, context: ScoreContext) {
  const { signal, meter } = context;
  signal.throwIfAborted();
  try {
    const answer = await model.ask(request, signal);
    reportUsage(answer ?? {}, price, meter);
    return answer ?? {};
  } catch (error) {
    reportFailedUsage(error, price, meter);
    throw error;
  }
}

function selectTrial({ trial }: ScoreContext): Pick<JudgeRequest, "trial"> {
  return trial === undefined ? {} : { trial };
}

function omitShape({ answer: _, ...request }: JudgeRequest): JudgeRequest {
  return request;
}

/** Endpoints without support for schemas or tools answer with one of these statuses and name the feature. */
function isShapeRefusal(error: unknown): boolean {
  if (!isTrialError(error) || error.category !== "api_error" || error.retry !== undefined) return false;
  const { message } = error;
  return (
    /answered (?:400|404|415|422|501)\b/.test(message) &&
    /schema|response_?format|text\.format|tool|structured/i.test(message)
  );
}

type CallUsage = Pick<JudgeAnswer, "usage" | "costUsd">;

/** Reports the usage of a call. Without usage or a price its cost is unknown. */
function reportUsage({ usage, costUsd }: CallUsage, price: Price | null, meter: ScoreMeter | undefined): void {
  meter?.add({ costUsd: costUsd ?? priceUsage(usage, price), ...(usage === undefined ? {} : { usage }) });
}

/** Reports what a call used before it failed. A call that got no answer used nothing. */
function reportFailedUsage(error: unknown, price: Price | null, meter: ScoreMeter | undefined): void {
  if (isTrialError(error) && error.spent !== undefined) reportUsage(error.spent, price, meter);
}

function priceUsage(usage: Usage | undefined, price: Price | null): number | null {
  if (usage === undefined || price === null) return null;
  try {
    return toDollars(computeCost(price, usage));
  } catch {
    // A custom client may report invalid counts.
    return null;
  }
}
