import { baseUrlOf } from "../../budget/base-url.js";
import { bundledPrice, loadModels, type ModelEntry, type ModelsFile } from "../../budget/index.js";
import { bundledLimits, entryFor, findModelsFile } from "../../budget/models-file.js";
import { defaultBaseUrlOf, dialectOf, endpointOf, keyVariableOf } from "../../budget/providers.js";
import { UsageError } from "../../core/errors.js";
import { isLoopback } from "../../core/loopback.js";
import type { Limits, Price } from "../../core/price.js";
import { describe } from "../../core/shape.js";
import { didYouMean } from "../../core/suggest.js";
import type { Output } from "../../core/system.js";
import type { DialectName } from "../../models/dialects/dialect.js";
import type { AnswerShape, Message } from "../../models/dialects/index.js";
import { type ModelOptions, ModelSystem } from "../../systems/index.js";
import { Desk, type DeskOptions } from "./desk.js";

/** What a judge model is asked. */
export interface JudgeRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  /** What the answer must look like. Left out for endpoints that refused to be told. */
  readonly answer?: AnswerShape;
}

/** What a judge model answers. A cost in dollars is only needed where it does not follow from usage and price. */
export type JudgeAnswer = Pick<Output, "response" | "usage" | "costUsd" | "stopped">;

/**
 * A model that judges: a `ModelSystem`, or any client of your own.
 * @example
 * const strict: JudgeModel = { name: "strict", ask: () => ({ response: '{"verdict": "fail"}' }) };
 */
export interface JudgeModel {
  readonly name: string;
  ask(request: JudgeRequest, signal: AbortSignal): JudgeAnswer | Promise<JudgeAnswer>;
  /** Its price is what usage is priced at. */
  readonly limits?: Limits;
  fingerprint?(): unknown;
  close?(): Promise<void>;
}

/** A judge model, or what is needed to make one: where it is, and which variable holds its key. */
export type JudgeModelSource = JudgeModel | ModelOptions;

/** A model that can be asked, and what its tokens cost; null when nobody knows. */
export interface OpenModel {
  readonly model: JudgeModel;
  readonly price: Price | null;
}

/** Makes the model that options describe. Throws when its key is missing. */
export async function openModel(source: JudgeModelSource): Promise<OpenModel> {
  if (isModel(source)) return { model: source, price: source.limits?.price ?? null };
  const model = new ModelSystem(source);
  const price = source.limits === undefined ? await priceOf(source) : source.limits.price;
  return { model, price };
}

async function priceOf({ model, baseUrl }: ModelOptions): Promise<Price | null> {
  return model === undefined ? null : bundledPrice({ model, baseUrl });
}

/** What identifies a model's work. Of options it is what the system made from them says, for which no key is needed. */
export function modelFingerprint(source: JudgeModelSource): unknown {
  if (!isModel(source)) {
    const { apiKeyEnv: _, ...rest } = source;
    return new ModelSystem({ ...rest, apiKey: null }).fingerprint();
  }
  return source.fingerprint?.() ?? { name: source.name, ask: String((source as { ask: unknown }).ask) };
}

/** Throws unless a judge can be made of it. */
export function requireModel(source: unknown): JudgeModelSource {
  const { name, ask, baseUrl } = (source ?? {}) as Partial<JudgeModel & ModelOptions>;
  if (typeof ask === "function" && typeof name === "string" && name !== "") return source as JudgeModel;
  if (ask === undefined && typeof baseUrl === "string") return source as ModelOptions;
  throw new UsageError(
    `A judge's model must be a ModelSystem, options such as { model: "gpt-5", baseUrl: "https://api.openai.com/v1", apiKeyEnv: "OPENAI_API_KEY" }, or { name, ask(request, signal) }, but is ${describe(source)}.`,
  );
}

function isModel(source: JudgeModelSource): source is JudgeModel {
  return "ask" in source && typeof source.ask === "function";
}

/** Finds the model that a name stands for. */
export type FindModel = (name: string) => Promise<JudgeModelSource>;

/** The models that graders ask, by name: graders of the same model share its connections and its limit on calls at a time. */
export class ModelPool {
  readonly #find: FindModel;
  readonly #options: DeskOptions;
  readonly #models = new Map<string, PooledModel>();

  constructor(find: FindModel, options: DeskOptions) {
    this.#find = find;
    this.#options = options;
  }

  of(name: string): PooledModel {
    const model = this.#models.get(name) ?? new PooledModel(() => this.#find(name), new Desk(this.#options));
    this.#models.set(name, model);
    return model;
  }
}

/** One model, open as long as somebody holds it. */
export class PooledModel {
  readonly desk: Desk;
  readonly #find: () => Promise<JudgeModelSource>;
  readonly #holders = new Set<object>();
  #source: Promise<JudgeModelSource> | null = null;
  #model: Promise<OpenModel> | null = null;

  constructor(find: () => Promise<JudgeModelSource>, desk: Desk) {
    this.#find = find;
    this.desk = desk;
  }

  /** Where the model is and what it costs, for which no key is needed. Throws when its name stands for nothing; that is not kept. */
  source(): Promise<JudgeModelSource> {
    this.#source ??= this.#find()
      .then(requireModel)
      .catch((error: unknown) => {
        this.#source = null;
        throw error;
      });
    return this.#source;
  }

  /** The model, for somebody who gives it back with `release`. Throws when its key is missing; that is not kept. */
  open(holder: object): Promise<OpenModel> {
    this.#holders.add(holder);
    this.#model ??= this.source()
      .then(openModel)
      .catch((error: unknown) => {
        this.#model = null;
        throw error;
      });
    return this.#model;
  }

  /** The last one to give it back closes its connections. It can be opened again. */
  async release(holder: object): Promise<void> {
    if (!this.#holders.delete(holder) || this.#holders.size > 0) return;
    const opening = this.#model?.catch(() => null);
    this.#model = null;
    this.#source = null;
    const opened = await opening;
    await opened?.model.close?.();
  }
}

/** Which model judges, and where it is found. */
export interface JudgeModelOptions {
  /** A model of the models file, or `PROVIDER/MODEL`; with `url`, whatever that serves. */
  name: string;
  /** Models with prices and addresses; models.yml of the working folder unless told. */
  modelsFile?: string;
  /** Where it answers, in place of its provider. */
  url?: string;
  /** The name of the variable that holds the key; the provider's own unless told. */
  apiKeyEnv?: string;
  /** Lets a key go over plain http to another machine. */
  allowInsecure?: boolean;
}

/**
 * Finds the model that is to judge: where it is, how it is spoken to, what it costs and which variable holds its key. The
 * key itself is read when the model is first used.
 * @example
 * const judge = new LLMJudge({ model: await openJudgeModel({ name: "openai/gpt-5" }) });
 */
export async function openJudgeModel(options: JudgeModelOptions): Promise<ModelOptions> {
  const path = options.modelsFile ?? findModelsFile();
  const file = path === undefined ? null : await loadModels(path);
  const { keyVariable, ...found } = await located(options, file);
  const apiKeyEnv = options.apiKeyEnv ?? keyVariable;
  return {
    ...found,
    name: options.name,
    ...(apiKeyEnv === null ? {} : { apiKeyEnv }),
    ...(options.allowInsecure === undefined ? {} : { allowInsecure: options.allowInsecure }),
  };
}

interface Located {
  readonly model: string;
  readonly baseUrl: string;
  readonly dialect: DialectName;
  readonly keyVariable: string | null;
  readonly limits: Limits;
}

async function located({ name, url }: JudgeModelOptions, file: ModelsFile | null): Promise<Located> {
  const entry = entryFor(name, file);
  if (url !== undefined) return behind(url, name, entry);
  return entry === undefined ? fromProvider(name, file) : fromEntry(entry);
}

/** What stands at an address bills what its model costs. Its own machine is the user's; any other gets a key only when it is told which. */
async function behind(url: string, name: string, entry: ModelEntry | undefined): Promise<Located> {
  const { provider, model } =
    entry === undefined ? splitName(name) : { provider: entry.provider, model: entry.apiName };
  const dialect = dialectOf(provider);
  const baseUrl = baseUrlOf("The judge's URL", url, dialect);
  return {
    model,
    baseUrl,
    dialect,
    keyVariable: entry?.apiKeyEnv ?? usualKeyHere(baseUrl, provider),
    limits: entry?.limits ?? (await bundledLimits({ model, ...(provider !== null && { provider }) })),
  };
}

function usualKeyHere(baseUrl: string, provider: string | null): string | null {
  const variable = keyVariableOf(provider ?? "openai");
  const isSet = variable !== null && (process.env[variable] ?? "") !== "";
  return isSet && isLoopback(new URL(baseUrl).hostname) ? variable : null;
}

function fromEntry(entry: ModelEntry): Located {
  if (entry.agentCli !== null)
    throw new UsageError(
      `The judge "${entry.name}" is run by the agent ${entry.agentCli}, which answers no single questions. Name a model that is called through its API.`,
    );
  const { baseUrl, keyVariable, dialect } = endpointOf(entry);
  if (baseUrl === null)
    throw new UsageError(
      `The judge "${entry.name}" has no base_url, and its provider ${entry.provider ?? ""} has no usual one. Add it to the models file.`,
    );
  return {
    model: entry.apiName,
    baseUrl: baseUrlOf("base_url", baseUrl, dialect),
    dialect,
    keyVariable,
    limits: entry.limits,
  };
}

async function fromProvider(name: string, file: ModelsFile | null): Promise<Located> {
  const { provider, model } = splitName(name);
  const baseUrl = defaultBaseUrlOf(provider);
  if (provider === null || baseUrl === null) throw unknownJudge(name, file);
  return {
    model,
    baseUrl,
    dialect: dialectOf(provider),
    keyVariable: keyVariableOf(provider),
    limits: await bundledLimits({ model, provider, baseUrl }),
  };
}

/** A provider that is known, and its own name for the model; other names are the model's alone. */
function splitName(name: string): { provider: string | null; model: string } {
  const slash = name.indexOf("/");
  const provider = name.slice(0, Math.max(0, slash));
  return defaultBaseUrlOf(provider) === null
    ? { provider: null, model: name }
    : { provider, model: name.slice(slash + 1) };
}

function unknownJudge(name: string, file: ModelsFile | null): UsageError {
  const where = file === null ? "and there is no models.yml here" : `and ${file.file} does not have it`;
  const guess = file === null ? "" : didYouMean(name, file.models.keys());
  return new UsageError(
    `The judge "${name}" is no model of a provider that is known, ${where}.${guess} Write PROVIDER/MODEL (openai/gpt-5, anthropic/…, google/…, openrouter/…, ollama/…), or describe it in models.yml with its base_url.`,
  );
}
