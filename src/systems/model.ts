import { createHash } from "node:crypto";
import { performance } from "node:perf_hooks";
import type { Example } from "../core/example.js";
import { isHarmlessName, isKeyName } from "../core/harmless-name.js";
import type { Limits } from "../core/price.js";
import type { Output, System, TrialContext } from "../core/system.js";
import type { Tokenizer } from "../core/tokenizer.js";
import type { AnswerShape } from "../models/dialects/index.js";
import { type ClientLease, type HttpClient, leaseClient } from "../models/http/index.js";
import { loadTokenizer } from "../models/tokens/index.js";
import { ModelConversation } from "./model-conversation.js";
import { ASK, type Script, scriptOf } from "./model-messages.js";
import { ModelMeter } from "./model-meter.js";
import { type ModelOptions, type ModelQuestion, type ModelSettings, settingsOf } from "./model-options.js";

/**
 * A model behind an endpoint.
 * @example
 * new ModelSystem({ baseUrl: "https://api.openai.com/v1", model: "gpt-5-mini", apiKeyEnv: "OPENAI_API_KEY" });
 */
export class ModelSystem implements System {
  readonly name: string;
  /** Host, port and a mark of the account. */
  readonly endpoint: string;
  readonly harness = "api";
  declare readonly model?: string;
  declare readonly limits?: Limits;
  readonly #options: ModelOptions;
  readonly #settings: ModelSettings;
  /** Parameters that the model has refused: no later call has them. */
  readonly #refused = new Set<string>();
  #lease: ClientLease | null = null;

  constructor(options: ModelOptions) {
    this.#options = options;
    this.#settings = settingsOf(options);
    const { name, model, host, secrets } = this.#settings;
    this.name = name;
    if (model !== "") this.model = model;
    this.endpoint = secrets.mark === "" ? host : `${host} ${secrets.mark}`;
    if (options.limits !== undefined) this.limits = { ...options.limits, ...longestAnswer(options, this.#settings) };
  }

  async process(example: Example, trial: TrialContext): Promise<Output> {
    const script = this.#scriptOf(example);
    return this.#conversation(this.#options, trial).run(script);
  }

  /**
   * Puts a question to the model that is no example, as a judge does. Its own system prompt comes before the question's.
   * Throws what `process` throws; making the call again is up to the caller.
   * @example
   * await system.ask({ messages: [{ role: "user", parts: ["Is the sky blue?"] }] }, signal); // { response: "Yes.", … }
   */
  async ask({ system, messages, answer }: ModelQuestion, signal: AbortSignal): Promise<Output> {
    const prompts = [this.#options.systemPrompt, system].filter((text) => text !== undefined && text !== "");
    const options = { ...this.#options, ...(prompts.length > 0 && { systemPrompt: prompts.join("\n\n") }) };
    const trial = { signal, budget: null, trial: 0, seed: 0, log: () => {} };
    return this.#conversation(options, trial, answer).run([...messages, ASK]);
  }

  /** Everything that changes the work, and nothing that is secret. */
  fingerprint(): unknown {
    const { systemPrompt, temperature, maxTokens, extraBody, headers = {}, buildMessages } = this.#options;
    const { workUrl, dialect, model, secrets } = this.#settings;
    return {
      url: secrets.scrub(workUrl),
      dialect: dialect.name,
      model,
      systemPrompt,
      temperature,
      maxTokens,
      extraBody,
      headers: Object.fromEntries(
        Object.entries(headers)
          .filter(([name]) => !isKeyName(name))
          .map(withDigest),
      ),
      buildMessages: buildMessages === undefined ? undefined : String(buildMessages),
    };
  }

  async close(): Promise<void> {
    this.#lease?.release();
    this.#lease = null;
  }

  #conversation(options: ModelOptions, trial: TrialContext, answer?: AnswerShape): ModelConversation {
    return new ModelConversation({
      settings: this.#settings,
      options,
      client: this.#client(),
      meter: new ModelMeter(trial.budget, () => this.#tokenizer()),
      trial,
      refused: this.#refused,
      clock: options.clock ?? (() => performance.now()),
      ...(answer === undefined ? {} : { answer }),
    });
  }

  #scriptOf(example: Example): Script {
    const { buildMessages } = this.#options;
    return buildMessages === undefined ? scriptOf(example) : [...buildMessages(example), ASK];
  }

  #client(): HttpClient {
    if (this.#options.client !== undefined) return this.#options.client;
    this.#lease ??= leaseClient();
    return this.#lease.client;
  }

  #tokenizer(): Tokenizer {
    return this.#options.tokenizer ?? loadTokenizer("cl100k_base");
  }
}

/** A header that is not known may change the work, and may hold a secret. */
function withDigest([name, value]: [string, string]): [string, string] {
  return [name, isHarmlessName(name) ? value : createHash("sha256").update(value).digest("hex")];
}

/** What the longest answer is called in bodies. */
const LONGEST_ANSWER = ["max_tokens", "max_completion_tokens", "max_output_tokens"];

/** The longest answer that is asked for; nothing when none is. */
function longestAnswer(
  { maxTokens, extraBody = {} }: ModelOptions,
  { dialect }: Pick<ModelSettings, "dialect">,
): Pick<Limits, "maxOutputTokens"> {
  const own = LONGEST_ANSWER.filter((name) => Object.hasOwn(extraBody, name)).map((name) => extraBody[name]);
  const longest = own.length === 0 ? (maxTokens ?? dialect.usualMaxTokens) : own.find(Number.isSafeInteger);
  return typeof longest === "number" ? { maxOutputTokens: longest } : {};
}
