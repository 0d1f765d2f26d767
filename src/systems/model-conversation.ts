import type {
  Example,
  Output,
  ServiceTier,
  StopReason,
  TrialContext,
  TrialKey,
  Turn,
  Usage,
  UserTurn,
} from "../core/index.js";
import {
  asksAfterTurns,
  isOpenTurn,
  normalizeRole,
  OTHER_MODEL_NOTE,
  SENT_WITHOUT_NOTE,
  TrialError,
} from "../core/index.js";
import type { HttpClient, HttpRequest } from "../models/index.js";
import {
  type AnswerDelta,
  type AnswerFormat,
  type AnswerReader,
  getReplacementParameter,
  isParameterSent,
  isSameModel,
  type Message,
} from "../models/index.js";
import type { ModelOptions, ModelSettings } from "./model.js";
import {
  CallSignal,
  callModel,
  fetchBill,
  type GatewayBill,
  type ModelMeter,
  RefusedParameterError,
  readStopReason,
} from "./model-call.js";
import { buildModelOutput, type ConversationRecord, measureSpent } from "./model-output.js";

/** A stream begins before the answer does, so an endpoint that is silent for this long is not thinking. */
const MAX_SILENCE_MS = 300_000;

/** The parameters that carry an effort. */
const EFFORT_PARAMETERS = [
  "reasoning_effort",
  "reasoning",
  "thinking",
  "output_config",
  "thinkingConfig",
  "reasoningConfig",
];

export interface ConversationOptions {
  readonly settings: ModelSettings;
  readonly options: ModelOptions;
  readonly client: HttpClient;
  readonly meter: ModelMeter;
  readonly trial: TrialContext;
  readonly clock: () => number;
  /** The shape of every answer. Default: free text. */
  readonly answer?: AnswerFormat;
  /** The trial, where requests are recorded. */
  readonly key?: TrialKey;
  /** Who asks. Default: system. */
  readonly by?: "system" | "judge" | "user";
  /** Writes the messages that follow the script. */
  readonly user?: ConversationUser;
  /** The tokens of images and files, which every call sends again, for calls without reported usage. */
  readonly fileTokens?: number;
  /** Parameters that the model has rejected, shared by all calls of its system and extended here. */
  readonly refused: Set<string>;
}

/** The simulated user of one trial: its next message, or null if the conversation is over. */
export interface ConversationUser {
  writeNext(turns: readonly UserTurn[], answered: number): Promise<string | null>;
}

/** Runs the conversation of one trial: sends the messages of the script, and asks the model where the script says so. */
export class ModelConversation implements ConversationRecord {
  readonly replies: ModelReply[] = [];
  /** The messages of a simulated user. */
  readonly userMessages: string[] = [];
  readonly startedAt: number;
  readonly serviceTier: ServiceTier | undefined;
  readonly #messages: Message[] = [];
  readonly #context: ConversationOptions;

  constructor(options: ConversationOptions) {
    this.#context = options;
    this.serviceTier = options.options.serviceTier;
    this.startedAt = options.clock();
  }

  async run(script: ConversationScript): Promise<Output> {
    for (const step of script) {
      if (step !== ASK) this.#messages.push(step);
      else if (this.#context.meter.isExceeded && this.replies.length > 0) return buildModelOutput(this, "cost_killed");
      else {
        const killed = await this.#ask();
        if (killed !== null) return buildModelOutput(this, killed);
      }
    }
    return buildModelOutput(this, await this.#converseWithUser());
  }

  /** Sends what the simulated user writes, as long as it goes on. Returns the limit that stopped the trial, if any. */
  async #converseWithUser(): Promise<StopReason | null> {
    const { user } = this.#context;
    if (user === undefined) return null;
    for (;;) {
      const written = await this.#askUser(user);
      if (typeof written !== "string") return written?.stopped ?? null;
      this.userMessages.push(this.scrub(written));
      this.#messages.push({ role: "user", parts: [written] });
      const killed = await this.#ask();
      if (killed !== null) return killed;
    }
  }

  /** The next message of the user; null, or the limit that stopped the trial, if there is none. */
  async #askUser(user: ConversationUser): Promise<string | { readonly stopped: StopReason } | null> {
    const { trial } = this.#context;
    try {
      return await user.writeNext(toUserTurns(this.#messages), this.replies.length);
    } catch (error) {
      const stopped = readStopReason(trial.signal);
      if (stopped !== null) return { stopped };
      if (trial.signal.aborted || !(error instanceof TrialError)) throw error;
      throw new TrialError(error.category, this.scrub(error.message), { cause: error, spent: measureSpent(this) });
    }
  }

  readonly scrub = (text: string): string => this.#context.settings.secrets.scrub(text);

  /** Asks for one answer. Returns the limit that stopped the trial, if any. */
  async #ask(): Promise<StopReason | null> {
    const { settings, meter, trial, clock, answer, fileTokens = 0 } = this.#context;
    const reply = new ModelReply({ reader: settings.dialect.reader(answer?.name), meter, clock });
    const call = new CallSignal(trial.signal, settings.timeoutMs, settings.host);
    this.replies.push(reply);
    meter.beginCall(() => this.#prompt(), fileTokens);
    try {
      await this.#call(call.signal, reply);
    } catch (error) {
      return this.#handleFailure(error, reply);
    } finally {
      call.release();
      reply.end();
    }
    this.#noteOtherModel(reply);
    // Some endpoints reject messages without text.
    if (reply.text !== "") this.#messages.push({ role: "assistant", parts: [reply.text] });
    return meter.isExceeded ? "cost_killed" : null;
  }

  /** A router or a redirected model may answer with another one. */
  #noteOtherModel({ reader: { model } }: ModelReply): void {
    const { settings, trial } = this.#context;
    if (model === null || settings.model === "" || isSameModel(settings.model, model)) return;
    trial.log(`${OTHER_MODEL_NOTE}: requested ${settings.model}, but ${this.scrub(model)} answered`);
  }

  async #call(signal: AbortSignal, reply: ModelReply): Promise<void> {
    const { client } = this.#context;
    try {
      await this.#callWithoutRefused(signal, reply);
    } finally {
      if (reply.billUrl !== null && !reply.isReported) reply.settle(await fetchBill(client, reply.billUrl));
    }
  }

  /** Repeats the request without each parameter that the model rejects. */
  async #callWithoutRefused(signal: AbortSignal, reply: ModelReply): Promise<void> {
    const { settings, client, options, refused } = this.#context;
    const { dialect, url, host, model, key, stream } = settings;
    const site = { url, host, model, provider: options.provider ?? null, keyLabel: key.label };
    const now = options.now ?? Date.now;
    for (const tried = new Set<string>(); ; ) {
      const sent = this.#body();
      this.#noteRefused();
      this.#noteClamped();
      try {
        return await callModel(
          { client, request: this.#request(sent, signal), sent, dialect, site, stream, now },
          reply,
        );
      } catch (error) {
        if (!(error instanceof RefusedParameterError) || tried.has(error.parameter)) throw error;
        // Without its effort it would be another system.
        if (options.effort !== undefined && EFFORT_PARAMETERS.includes(error.parameter)) throw error;
        tried.add(error.parameter);
        // If both names of a parameter are rejected, its value is wrong.
        const other = getReplacementParameter(error.parameter);
        if (other !== null && tried.has(other)) throw error;
        refused.add(error.parameter);
        if (other !== null) refused.delete(other);
      }
    }
  }

  /** Logs for every trial that its answers are shorter than asked for. */
  #noteClamped(): void {
    const { settings, options, trial } = this.#context;
    if (options.maxTokens === undefined || settings.maxTokens === options.maxTokens) return;
    trial.log(`sent with at most ${settings.maxTokens} output tokens, the limit of the model ${settings.model}`);
  }

  /** Logs for every trial which parameters its request lacks, including trials after the rejection. */
  #noteRefused(): void {
    const { refused, trial, settings } = this.#context;
    if (refused.size === 0) return;
    const full = this.#body([]);
    for (const name of refused) {
      if (!isParameterSent(full, name)) continue;
      const other = getReplacementParameter(name);
      const instead = other === null ? "" : `; ${other} was sent instead`;
      trial.log(`${SENT_WITHOUT_NOTE} ${name}, which the model ${settings.model} rejects${instead}`);
    }
  }

  /** The text of the prompt, for counting its tokens. */
  #prompt(): string {
    const { systemPrompt = "" } = this.#context.options;
    const texts = [systemPrompt, ...this.#messages.flatMap(({ parts }) => parts)];
    return texts.filter((text) => text !== "").join("\n");
  }

  #body(refused: readonly string[] = [...this.#context.refused]): Record<string, unknown> {
    const { settings, options, answer } = this.#context;
    const { effort, maxTokens } = settings;
    const { systemPrompt, temperature, serviceTier, extraBody } = options;
    return settings.dialect.body({
      model: settings.model,
      messages: this.#messages,
      stream: settings.stream,
      ...(systemPrompt === undefined ? {} : { system: systemPrompt }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(serviceTier === undefined ? {} : { serviceTier }),
      ...(effort === undefined ? {} : { effort }),
      ...(answer === undefined ? {} : { answer }),
      ...(extraBody === undefined ? {} : { extraBody }),
      refused,
    });
  }

  #request(body: Record<string, unknown>, signal: AbortSignal): HttpRequest {
    const { settings, options, key, by } = this.#context;
    const { connectTimeoutMs, idleTimeoutMs } = options;
    const plain = { url: settings.url, headers: settings.headers, body: JSON.stringify(body) };
    return {
      ...plain,
      headers: settings.sign === undefined ? plain.headers : { ...plain.headers, ...settings.sign(plain) },
      signal,
      ...(key === undefined ? {} : { trial: key }),
      ...(by === undefined ? {} : { by }),
      headersTimeoutMs: settings.stream ? Math.min(settings.timeoutMs, MAX_SILENCE_MS) : settings.timeoutMs,
      ...(connectTimeoutMs === undefined ? {} : { connectTimeoutMs }),
      ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
    };
  }

  /** A trial stopped by its own limits keeps its partial output; everything else is an error. */
  #handleFailure(error: unknown, reply: ModelReply): StopReason {
    const { signal } = this.#context.trial;
    if (signal.aborted) {
      if (!reply.hasBegun) this.replies.pop();
      const stop = readStopReason(signal);
      if (stop !== null && this.replies.length > 0) return stop;
      throw signal.reason;
    }
    throw error instanceof TrialError ? this.#toTrialError(error, reply) : error;
  }

  /** Once text has arrived the call must not be retried: it would be billed twice. */
  #toTrialError(error: TrialError, reply: ModelReply): TrialError {
    const hasAnswer = reply.hasText || this.replies.length > 1;
    return new TrialError(error.category, this.scrub(error.message), {
      ...(error.cause === undefined ? {} : { cause: error.cause }),
      ...(error.retry === undefined || hasAnswer ? {} : { retry: error.retry }),
      ...(error.outlook === undefined || hasAnswer ? {} : { outlook: error.outlook }),
      ...(hasAnswer || reply.reader.usage !== null ? { spent: measureSpent(this) } : {}),
    });
  }
}

function toUserTurns(messages: readonly Message[]): UserTurn[] {
  return messages.flatMap(({ role, parts }) => (role === "system" ? [] : [{ role, text: parts.join("\n\n") }]));
}

/** Marks where the model is asked and its answer is inserted. */
export const ASK = Symbol("ask");

/** Messages, and the places where the model is asked. */
export type ConversationScript = readonly (Message | typeof ASK)[];

/** Builds the default conversation for an example. */
export function buildExampleScript(example: Example): ConversationScript {
  const script =
    example.turns === undefined || example.turns.length === 0 ? buildSingleScript(example) : buildTurnsScript(example);
  if (script.includes(ASK)) return script;
  throw new TrialError(
    "system_error",
    `Example "${example.id}" asks nothing: it has no question, and its turns end with an assistant turn. Add a question, or remove the last turn.`,
  );
}

function buildSingleScript({ context, question }: Example): ConversationScript {
  const parts = collectUniqueTexts(context, question);
  return parts.length === 0 ? [] : [{ role: "user", parts }, ASK];
}

/** The model answers wherever the example has no assistant turn. The context comes first. */
function buildTurnsScript({ turns = [], context, question }: Example): ConversationScript {
  const script: (Message | typeof ASK)[] = turns.flatMap((turn, at) => toScriptSteps(turn, turns[at + 1]));
  if (question && asksAfterTurns({ turns, question })) script.push({ role: "user", parts: [question] }, ASK);
  return addContext(script, context);
}

function toScriptSteps(turn: Turn, next: Turn | undefined): ConversationScript {
  const message: Message = { role: normalizeRole(turn.role), parts: [turn.content] };
  return isOpenTurn(turn, next) ? [message, ASK] : [message];
}

function addContext(script: ConversationScript, context: string | undefined): ConversationScript {
  const first = script.findIndex((step) => step !== ASK && step.role === "user");
  const opening = script[first];
  if (!context || opening === undefined || opening === ASK) return script;
  return script.with(first, { role: "user", parts: collectUniqueTexts(context, ...opening.parts) });
}

/** The non-empty texts, without duplicates. */
function collectUniqueTexts(...texts: (string | undefined)[]): string[] {
  return [...new Set(texts.filter((text): text is string => text !== undefined && text !== ""))];
}

export interface ReplyOptions {
  readonly reader: AnswerReader;
  readonly meter: ModelMeter;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
}

/** The model's answer to one call: what has arrived so far, and when. */
export class ModelReply {
  readonly reader: AnswerReader;
  readonly startedAt: number;
  text = "";
  /** When the first text arrived, visible or hidden; null before. */
  firstTextAt: number | null = null;
  firstVisibleAt: number | null = null;
  lastTextAt = 0;
  /** Number of chunks of text. */
  pieces = 0;
  /** True once hidden text arrived, which is billed but not shown. */
  hasHidden = false;
  /** True once the model has sent anything. */
  hasBegun = false;
  /** Output tokens counted in the text, for an answer without reported usage. */
  countedTokens: number | null = null;
  /** URL of the call's bill; null unless a gateway sent one. */
  billUrl: string | null = null;
  #bill: GatewayBill | null = null;
  readonly #meter: ModelMeter;
  readonly #clock: () => number;

  constructor({ reader, meter, clock }: ReplyOptions) {
    this.reader = reader;
    this.#meter = meter;
    this.#clock = clock;
    this.startedAt = clock();
  }

  /** Reads one event of a stream. Returns false if reading on is useless: the budget is spent, or an error came. */
  takeEvent(event: unknown): boolean {
    this.#take(this.reader.readEvent(event));
    this.#meter.addUsage(this.reader.usage, this.reader.serviceTier);
    return !this.#meter.isExceeded && this.reader.error === null;
  }

  takeWhole(body: unknown): void {
    const delta = this.reader.readWhole(body);
    this.#meter.addUsage(this.reader.usage, this.reader.serviceTier);
    this.#take(delta, this.reader.usage === null);
  }

  /** True if the usage of the call is known: from the provider at the end of the answer, or from a gateway. */
  get isReported(): boolean {
    return this.#bill !== null || (this.reader.isComplete && this.reader.usage !== null);
  }

  /** True if part of the usage is only estimated. */
  get isEstimated(): boolean {
    return this.#bill?.isEstimated ?? !this.isReported;
  }

  /** The reported usage of the call. */
  get usage(): Usage | null {
    return this.#bill?.usage ?? this.reader.usage;
  }

  /** Sets the usage that a gateway metered for an aborted answer. */
  settle(bill: GatewayBill | null): void {
    this.#bill = bill;
    if (bill !== null) this.#meter.addUsage(bill.usage, this.reader.serviceTier);
  }

  /** True if text has arrived, so that the call must not be retried. */
  get hasText(): boolean {
    return this.firstTextAt !== null;
  }

  end(): void {
    this.countedTokens = this.#meter.streamedTokens;
    this.#meter.endCall(this.isReported);
  }

  #take(delta: AnswerDelta, isCounted = true): void {
    this.hasBegun ||= delta.text !== "" || delta.hidden !== "" || this.reader.usage !== null;
    if (delta.text === "" && delta.hidden === "") return;
    this.lastTextAt = this.#clock();
    this.firstTextAt ??= this.lastTextAt;
    this.hasHidden ||= delta.hidden !== "";
    if (delta.text !== "") this.firstVisibleAt ??= this.lastTextAt;
    this.pieces += 1;
    this.text += delta.text;
    if (isCounted) this.#meter.addText(delta);
  }
}
