import { findPrice } from "../../budget/index.js";
import type { Limits, Output, Price, TrialKey } from "../../core/index.js";
import { describeValue, getExampleModelName, UsageError } from "../../core/index.js";
import type { AnswerFormat, Message } from "../../models/index.js";
import { type ModelOptions, ModelSystem } from "../../systems/index.js";

/** A request to a judge model. */
export interface JudgeRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  /** The shape the answer must have. Omitted for endpoints that rejected it. */
  readonly answer?: AnswerFormat;
  /** The trial that is judged. */
  readonly trial?: TrialKey;
}

/** The answer of a judge model. The cost in dollars is only needed if it does not follow from usage and price. */
export type JudgeAnswer = Pick<Output, "response" | "usage" | "costUsd" | "stopped">;

/**
 * A model that judges: a `ModelSystem` or a custom client.
 * @example
 * const strict: JudgeModel = { name: "strict", ask: () => ({ response: '{"verdict": "fail"}' }) };
 */
export interface JudgeModel {
  readonly name: string;
  ask(request: JudgeRequest, signal: AbortSignal): JudgeAnswer | Promise<JudgeAnswer>;
  /** Its price is used to compute the cost of usage. */
  readonly limits?: Limits;
  fingerprint?(): unknown;
  close?(): Promise<void>;
}

/** A judge model, or the options to make one. */
export type JudgeModelSource = JudgeModel | ModelOptions;

/** A model ready to be called, and the price of its tokens; null if unknown. */
export interface OpenModel {
  readonly model: JudgeModel;
  readonly price: Price | null;
}

/** Makes the model that the options describe. Throws if its key is missing. */
export async function openModel(source: JudgeModelSource): Promise<OpenModel> {
  if (isJudgeModel(source)) return { model: source, price: source.limits?.price ?? null };
  const model = new ModelSystem(source);
  const price = model.limits === undefined ? await lookupModelPrice(source) : model.limits.price;
  return { model, price };
}

async function lookupModelPrice({ model, baseUrl }: ModelOptions): Promise<Price | null> {
  return model === undefined ? null : findPrice({ model, baseUrl });
}

/** Identifies a model's work in the cache. For options it is the fingerprint of the system made from them, which needs no key. */
export function computeModelFingerprint(source: JudgeModelSource): unknown {
  if (!isJudgeModel(source)) {
    const { apiKeyEnv: _, ...rest } = source;
    return new ModelSystem({ ...rest, apiKey: null }).fingerprint();
  }
  return source.fingerprint?.() ?? { name: source.name, ask: String((source as { ask: unknown }).ask) };
}

/** Throws if the value is neither a judge model nor options for one. */
export function requireJudgeModel(source: unknown): JudgeModelSource {
  const { name, ask, baseUrl } = (source ?? {}) as Partial<JudgeModel & ModelOptions>;
  if (typeof ask === "function" && typeof name === "string" && name !== "") return source as JudgeModel;
  if (ask === undefined && typeof baseUrl === "string") return source as ModelOptions;
  throw new UsageError(
    `A judge's model must be a ModelSystem, options such as { model: "${getExampleModelName("openai")}", baseUrl: "https://api.openai.com/v1", apiKeyEnv: "OPENAI_API_KEY" }, or { name, ask(request, signal) }, but is ${describeValue(source)}.`,
  );
}

function isJudgeModel(source: JudgeModelSource): source is JudgeModel {
  return "ask" in source && typeof source.ask === "function";
}
