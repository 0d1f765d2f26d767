import { TrialError } from "../core/errors.js";
import { SENT_WITHOUT } from "../core/row.js";
import type { Output, StopReason, TrialContext } from "../core/system.js";
import { type AnswerShape, hasParameter, type Message, replacementOf } from "../models/dialects/index.js";
import type { HttpClient, HttpRequest } from "../models/http/index.js";
import { askForBill } from "./model-bill.js";
import { callModel } from "./model-call.js";
import { RefusedParameterError } from "./model-errors.js";
import { ASK, type Script } from "./model-messages.js";
import type { ModelMeter } from "./model-meter.js";
import type { ModelOptions, ModelSettings } from "./model-options.js";
import { type Conversation, outputOf, spentBy } from "./model-output.js";
import { ModelReply } from "./model-reply.js";
import { CallSignal, stopOf } from "./model-signal.js";

/** A stream begins before the answer does: an endpoint that says nothing for so long is not thinking. */
const LONGEST_SILENCE_MS = 300_000;

export interface ConversationOptions {
  readonly settings: ModelSettings;
  readonly options: ModelOptions;
  readonly client: HttpClient;
  readonly meter: ModelMeter;
  readonly trial: TrialContext;
  readonly clock: () => number;
  /** What every answer must look like; free text unless told. */
  readonly answer?: AnswerShape;
  /** Parameters that the model has refused, for all calls of its system: those of this conversation are added. */
  readonly refused: Set<string>;
}

/** Holds the conversation of one trial: says what the script says, and asks the model where it is to answer. */
export class ModelConversation implements Conversation {
  readonly replies: ModelReply[] = [];
  readonly startedAt: number;
  readonly #messages: Message[] = [];
  readonly #with: ConversationOptions;

  constructor(options: ConversationOptions) {
    this.#with = options;
    this.startedAt = options.clock();
  }

  async run(script: Script): Promise<Output> {
    for (const step of script) {
      if (step !== ASK) this.#messages.push(step);
      else if (this.#with.meter.isExceeded && this.replies.length > 0) return outputOf(this, "cost_killed");
      else {
        const killed = await this.#ask();
        if (killed !== null) return outputOf(this, killed);
      }
    }
    return outputOf(this, null);
  }

  readonly scrub = (text: string): string => this.#with.settings.secrets.scrub(text);

  /** Asks for one answer. Says by which limit the trial was stopped, if it was. */
  async #ask(): Promise<StopReason | null> {
    const { settings, meter, trial, clock, answer } = this.#with;
    const reply = new ModelReply({ reader: settings.dialect.reader(answer?.name), meter, clock });
    const call = new CallSignal(trial.signal, settings.timeoutMs, settings.host);
    this.replies.push(reply);
    meter.beginCall(() => this.#prompt());
    try {
      await this.#call(call.signal, reply);
    } catch (error) {
      return this.#failed(error, reply);
    } finally {
      call.release();
      reply.end();
    }
    // Some endpoints refuse messages without text.
    if (reply.text !== "") this.#messages.push({ role: "assistant", parts: [reply.text] });
    return meter.isExceeded ? "cost_killed" : null;
  }

  async #call(signal: AbortSignal, reply: ModelReply): Promise<void> {
    const { client } = this.#with;
    try {
      await this.#callWithoutRefused(signal, reply);
    } finally {
      if (reply.billUrl !== null && !reply.isReported) reply.settle(await askForBill(client, reply.billUrl));
    }
  }

  /** Sends the request again without a parameter that the model refuses, once for each. */
  async #callWithoutRefused(signal: AbortSignal, reply: ModelReply): Promise<void> {
    const { settings, client, options, refused } = this.#with;
    const { dialect, url, host, model, key, stream } = settings;
    const site = { url, host, model, keyLabel: key.label };
    const now = options.now ?? Date.now;
    for (const tried = new Set<string>(); ; ) {
      const sent = this.#body();
      this.#noteRefused();
      try {
        return await callModel(
          { client, request: this.#request(sent, signal), sent, dialect, site, stream, now },
          reply,
        );
      } catch (error) {
        if (!(error instanceof RefusedParameterError) || tried.has(error.parameter)) throw error;
        tried.add(error.parameter);
        // Refused under both of its names, it is the value that is wrong.
        const other = replacementOf(error.parameter);
        if (other !== null && tried.has(other)) throw error;
        refused.add(error.parameter);
        if (other !== null) refused.delete(other);
      }
    }
  }

  /** Says of every trial what its request lacks, also of those that came after the refusal. */
  #noteRefused(): void {
    const { refused, trial, settings } = this.#with;
    if (refused.size === 0) return;
    const full = this.#body([]);
    for (const name of refused) {
      if (!hasParameter(full, name)) continue;
      const other = replacementOf(name);
      const instead = other === null ? "" : `; ${other} was sent in its place`;
      trial.log(`${SENT_WITHOUT} ${name}, which the model ${settings.model} refuses${instead}`);
    }
  }

  /** The text of what is asked, as far as it can be counted. */
  #prompt(): string {
    const { systemPrompt = "" } = this.#with.options;
    const texts = [systemPrompt, ...this.#messages.flatMap(({ parts }) => parts)];
    return texts.filter((text) => text !== "").join("\n");
  }

  #body(refused: readonly string[] = [...this.#with.refused]): Record<string, unknown> {
    const { settings, options, answer } = this.#with;
    const { systemPrompt, temperature, maxTokens, extraBody } = options;
    return settings.dialect.body({
      model: settings.model,
      messages: this.#messages,
      stream: settings.stream,
      ...(systemPrompt === undefined ? {} : { system: systemPrompt }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxTokens === undefined ? {} : { maxTokens }),
      ...(answer === undefined ? {} : { answer }),
      ...(extraBody === undefined ? {} : { extraBody }),
      refused,
    });
  }

  #request(body: Record<string, unknown>, signal: AbortSignal): HttpRequest {
    const { settings, options } = this.#with;
    const { connectTimeoutMs, idleTimeoutMs } = options;
    return {
      url: settings.url,
      headers: settings.headers,
      body: JSON.stringify(body),
      signal,
      headersTimeoutMs: settings.stream ? Math.min(settings.timeoutMs, LONGEST_SILENCE_MS) : settings.timeoutMs,
      ...(connectTimeoutMs === undefined ? {} : { connectTimeoutMs }),
      ...(idleTimeoutMs === undefined ? {} : { idleTimeoutMs }),
    };
  }

  /** A trial that was stopped by its own limits keeps what it has; everything else is an error. */
  #failed(error: unknown, reply: ModelReply): StopReason {
    const { signal } = this.#with.trial;
    if (signal.aborted) {
      if (!reply.hasBegun) this.replies.pop();
      const stop = stopOf(signal);
      if (stop !== null && this.replies.length > 0) return stop;
      throw signal.reason;
    }
    throw error instanceof TrialError ? this.#explained(error, reply) : error;
  }

  /** Once text has come, the same call may not be made again: it would be paid for twice. */
  #explained(error: TrialError, reply: ModelReply): TrialError {
    const hasAnswer = reply.hasText || this.replies.length > 1;
    return new TrialError(error.category, this.scrub(error.message), {
      ...(error.cause === undefined ? {} : { cause: error.cause }),
      ...(error.retry === undefined || hasAnswer ? {} : { retry: error.retry }),
      ...(error.outlook === undefined || hasAnswer ? {} : { outlook: error.outlook }),
      ...(hasAnswer || reply.reader.usage !== null ? { spent: spentBy(this) } : {}),
    });
  }
}
