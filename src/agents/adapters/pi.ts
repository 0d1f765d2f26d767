import { UsageError } from "../../core/errors.js";
import type { Usage } from "../../core/system.js";
import type { AgentHappening } from "../../core/trajectory.js";
import { type Fields, fieldsOf, listOf, textOf } from "../../models/dialects/answer-base.js";
import type { DialectName } from "../../models/dialects/dialect.js";
import {
  type AgentAdapter,
  type AgentEnd,
  type AgentFigures,
  type AgentModel,
  type Launch,
  type LaunchRequest,
  type StreamReader,
  statusIn,
  UnknownEvents,
} from "../adapter.js";
import { countOf, OwnFigures } from "../own-figures.js";

/** Would be taken for an option or a file. There is no `--` to end the options. */
const NO_PROMPT = /^[-@]/;

/**
 * pi.
 * @example
 * const { args, env, homeFiles } = pi.launch(request);
 * spawn(pi.program, args, { env });
 */
export const pi: AgentAdapter = {
  name: "pi",
  program: "pi",
  checkedVersion: "0.74.2",
  dialects: ["chat", "responses", "anthropic", "gemini"],
  provider: null,
  install: "npm install -g @earendil-works/pi-coding-agent",
  login: ".pi/agent/auth.json",
  skills: { inHome: ".pi/agent/skills", inProject: ".pi/skills" },
  tools: ["bash", "edit", "find", "grep", "ls", "read", "write"],
  launch,
  reader: () => new PiReader(),
};

function launch(request: LaunchRequest): Launch {
  const { prompt, usesOwnHome } = request;
  return {
    args: ["-p", "--mode", "json", "--no-session", "--offline", ...modelArgs(request), promptText(prompt)],
    env: { PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1" },
    homeFiles: usesOwnHome
      ? {}
      : {
          ".pi/agent/models.json": json(modelsOf(request, modelOf(request))),
          ".pi/agent/settings.json": json(SETTINGS),
        },
  };
}

function modelArgs(request: LaunchRequest): readonly string[] {
  if (!request.usesOwnHome) return ["--provider", PROVIDER_ID, "--model", modelOf(request).name];
  return request.model === null ? [] : ["--model", request.model.cliName];
}

function modelOf({ model }: LaunchRequest): AgentModel {
  if (model !== null) return model;
  throw new UsageError("pi has no default model. Name one, as in --agent pi:MODEL.");
}

function promptText(prompt: string): string {
  return NO_PROMPT.test(prompt) ? ` ${prompt}` : prompt;
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

const NOTHING: readonly AgentHappening[] = [];

/** Known events that repeat others, including partial messages, each of which repeats everything before it. */
const REPEATED = new Set([
  "session",
  "agent_start",
  "message_start",
  "message_update",
  "tool_execution_update",
  "auto_retry_end",
  "queue_update",
  "agent_settled",
]);

/** Reads the events of `pi --mode json`. It may end several times: it retries after some errors. */
class PiReader implements StreamReader {
  readonly version = null;
  end: AgentEnd | null = null;
  response = "";
  model: string | null = null;
  #last: LastAnswer = NO_ANSWER;
  /** Calls without a result yet. */
  readonly #open = new Set<string>();
  readonly #own = new OwnFigures();
  readonly #unknown = new UnknownEvents();

  get figures(): AgentFigures {
    return this.#own.figures;
  }

  get unknown(): ReadonlyMap<string, number> {
    return this.#unknown.counts;
  }

  read(event: unknown): readonly AgentHappening[] {
    const fields = fieldsOf(event) ?? {};
    const type = textOf(fields.type);
    if (REPEATED.has(type)) return NOTHING;
    switch (type) {
      case "turn_start":
        this.end = null;
        return [{ type: "turn_start" }];
      case "turn_end":
        return [{ type: "turn_end" }];
      case "message_end":
        return this.#message(fieldsOf(fields.message) ?? {});
      case "tool_execution_start":
        return this.#call(fields);
      case "tool_execution_end":
        return this.#result(fields.toolCallId, fields.isError, fieldsOf(fields.result));
      case "agent_end":
        this.end = endOf(this.#last);
        return NOTHING;
      case "auto_retry_start":
        this.end = null;
        return [{ type: "system", text: `retrying: ${textOf(fields.errorMessage)}` }];
      case "compaction_start":
        return [{ type: "system", text: `summarizing the conversation (${textOf(fields.reason)})` }];
      case "compaction_end":
        // The model call for the summary is not in the stream.
        this.#own.isPartial = true;
        return NOTHING;
      default:
        return this.#unknown.tell(event);
    }
  }

  #message(message: Fields): readonly AgentHappening[] {
    if (message.role === "user") return [{ type: "user_message", text: textIn(message.content) }];
    if (message.role === "toolResult") return this.#result(message.toolCallId, message.isError, message);
    return message.role === "assistant" ? this.#answer(message) : NOTHING;
  }

  #answer(message: Fields): readonly AgentHappening[] {
    const error = textOf(message.errorMessage);
    this.#last = { stopReason: textOf(message.stopReason), error };
    this.model = textOf(message.model) || this.model;
    this.response = textIn(message.content) || this.response;
    const usage = fieldsOf(message.usage);
    if (usage !== null) this.#own.add(usageOf(usage), fieldsOf(usage.cost)?.total);
    // An interrupted answer reports counts of 0, although it is billed.
    if (error !== "") this.#own.isPartial = true;
    const happenings = happeningsOf(message.content);
    for (const happening of happenings) if (happening.type === "tool_call") this.#open.add(happening.callId);
    return error === "" ? happenings : [...happenings, { type: "error", message: error }];
  }

  /** Only calls that were not part of a message. */
  #call({ toolCallId, toolName, args }: Fields): readonly AgentHappening[] {
    const callId = textOf(toolCallId);
    if (this.#open.has(callId)) return NOTHING;
    this.#open.add(callId);
    return [{ type: "tool_call", name: textOf(toolName), callId, arguments: args ?? {} }];
  }

  /** Reported twice: by the tool, and as a message to the model. */
  #result(toolCallId: unknown, isError: unknown, result: Fields | null): readonly AgentHappening[] {
    const callId = textOf(toolCallId);
    if (!this.#open.delete(callId)) return NOTHING;
    return [{ type: "tool_result", callId, success: isError !== true, result: resultText(result?.content) }];
  }
}

/** Provider name in the models file. */
const PROVIDER_ID = "assay";

const APIS: Readonly<Record<DialectName, string>> = {
  chat: "openai-completions",
  responses: "openai-responses",
  anthropic: "anthropic-messages",
  gemini: "google-generative-ai",
};

/** For an unknown model. A smaller context would make it summarize early; excess output is cut off by the endpoint. */
const LIMITS = { contextWindow: 200_000, maxTokens: 32_000 };

/** Its own retries, instead of the client's: enough for brief failures. */
const SETTINGS = { retry: { enabled: true, maxRetries: 3, provider: { maxRetries: 0 } } };

/** The file that defines the gateway as a provider. */
function modelsOf(request: LaunchRequest, { name, dialect }: AgentModel): Record<string, unknown> {
  const provider = {
    baseUrl: baseUrl(request, dialect),
    api: APIS[dialect],
    apiKey: request.key,
    models: [{ id: name, ...LIMITS }],
  };
  return { providers: { [PROVIDER_ID]: provider } };
}

function baseUrl({ gateway }: LaunchRequest, dialect: DialectName): string {
  if (dialect === "anthropic") return gateway.anthropic;
  // Its Google client takes the version from the URL.
  if (dialect === "gemini") return `${gateway.google}/v1beta`;
  return gateway.openai;
}

/** How the model's last answer ended. */
interface LastAnswer {
  readonly stopReason: string;
  /** Empty when there is none. */
  readonly error: string;
}

const NO_ANSWER: LastAnswer = { stopReason: "", error: "" };

const REFUSED = /content_filter|refus|safety|PROHIBITED_CONTENT|RECITATION/i;

/** Classifies the end of a run by the last answer, because the program itself always ends the same way. */
function endOf({ stopReason, error }: LastAnswer): AgentEnd {
  switch (stopReason) {
    case "error":
      return endOfError(error);
    case "length":
      return { kind: "stopped", reason: "truncated", message: "The model's answer reached its maximum length." };
    case "aborted":
      return { kind: "failed", message: error || "The run was aborted.", status: null };
    case "":
      return { kind: "failed", message: "The run ended without an answer from the model.", status: null };
    default:
      return { kind: "done" };
  }
}

function endOfError(error: string): AgentEnd {
  if (REFUSED.test(error)) return { kind: "stopped", reason: "refused", message: error };
  return { kind: "failed", message: error || "The model's answer ended with an error.", status: statusIn(error) };
}

/** The texts and calls of one message, in order. */
function happeningsOf(content: unknown): AgentHappening[] {
  return listOf(content).flatMap((block) => {
    const happening = happeningOf(fieldsOf(block) ?? {});
    return happening === null ? [] : [happening];
  });
}

function happeningOf(block: Fields): AgentHappening | null {
  switch (block.type) {
    case "text":
      return block.text === "" ? null : { type: "assistant_message", text: textOf(block.text) };
    case "thinking":
      return { type: "reasoning", text: textOf(block.thinking) };
    case "toolCall":
      return {
        type: "tool_call",
        name: textOf(block.name),
        callId: textOf(block.id),
        arguments: block.arguments ?? {},
      };
    default:
      return null;
  }
}

function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .map((block) => textOf(fieldsOf(block)?.text))
    .join("");
}

/** A tool's result; images are named by their type. */
function resultText(content: unknown): string {
  if (typeof content === "string") return content;
  return listOf(content).map(partText).join("\n");
}

function partText(part: unknown): string {
  const { type, text, mimeType } = fieldsOf(part) ?? {};
  return type === "image" ? `(image ${textOf(mimeType)})` : textOf(text);
}

/** Same token classes as ours; reasoning is part of the output, and only reported by newer versions. */
function usageOf(usage: Fields): Usage {
  const { input, output, cacheRead, cacheWrite, reasoning } = usage;
  return {
    input: countOf(input),
    output: countOf(output),
    cacheRead: countOf(cacheRead),
    cacheWrite: countOf(cacheWrite),
    ...(typeof reasoning === "number" && { reasoning: countOf(reasoning) }),
  };
}
