import type { AgentEventBody, Usage } from "../../core/index.js";
import { UsageError } from "../../core/index.js";
import type { GatewayDialectName } from "../../models/index.js";
import { type JsonFields, readJsonList, readJsonObject, readJsonString } from "../../models/index.js";
import {
  type AgentAdapter,
  type AgentEnd,
  type AgentFigures,
  AgentFiguresSum,
  type AgentLaunch,
  type AgentModel,
  findStatusCode,
  type LaunchRequest,
  parseTokenCount,
  type StreamReader,
  UnknownEvents,
} from "../adapter.js";

/** Would be taken for an option or a file. There is no `--` to end the options. */
const RESERVED_PROMPT_START = /^[-@]/;

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
  minVersion: "0.62.0",
  dialects: ["chat", "responses", "anthropic", "gemini"],
  provider: null,
  install: "npm install -g @earendil-works/pi-coding-agent",
  login: ".pi/agent/auth.json",
  skills: { inHome: ".pi/agent/skills", inProject: ".pi/skills" },
  tools: ["bash", "edit", "find", "grep", "ls", "read", "write"],
  efforts: { names: ["none", "minimal", "low", "medium", "high", "xhigh"] },
  canContinue: true,
  launch,
  reader: () => new PiReader(),
};

function launch(request: LaunchRequest): AgentLaunch {
  const { prompt, effort, usesOwnHome, session } = request;
  const thinking = effort === null ? [] : ["--thinking", effort === "none" ? "off" : String(effort)];
  return {
    args: [
      "-p",
      "--mode",
      "json",
      // Sessions belong to a folder, and each trial has its own.
      ...(session === null ? ["--no-session"] : session.isContinued ? ["--continue"] : []),
      "--offline",
      ...buildPiModelArgs(request),
      ...thinking,
      formatPiPrompt(prompt),
    ],
    env: { PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1" },
    homeFiles: usesOwnHome
      ? {}
      : {
          ".pi/agent/models.json": formatPiJson(buildPiModels(request, requirePiModel(request))),
          ".pi/agent/settings.json": formatPiJson(SETTINGS),
        },
  };
}

function buildPiModelArgs(request: LaunchRequest): readonly string[] {
  if (!request.usesOwnHome) return ["--provider", PROVIDER_ID, "--model", requirePiModel(request).name];
  return request.model === null ? [] : ["--model", request.model.cliName];
}

function requirePiModel({ model }: LaunchRequest): AgentModel {
  if (model !== null) return model;
  throw new UsageError("pi has no default model. Name one, as in --agent pi:MODEL.");
}

function formatPiPrompt(prompt: string): string {
  return RESERVED_PROMPT_START.test(prompt) ? ` ${prompt}` : prompt;
}

function formatPiJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

const NO_EVENTS: readonly AgentEventBody[] = [];

/** Known events that repeat others, including partial messages, each of which repeats everything before it. */
const REDUNDANT_EVENTS = new Set([
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
  readonly #own = new AgentFiguresSum();
  readonly #unknown = new UnknownEvents();

  get figures(): AgentFigures {
    return this.#own.figures;
  }

  get unknown(): ReadonlyMap<string, number> {
    return this.#unknown.counts;
  }

  read(event: unknown): readonly AgentEventBody[] {
    const fields = readJsonObject(event) ?? {};
    const type = readJsonString(fields.type);
    if (REDUNDANT_EVENTS.has(type)) return NO_EVENTS;
    switch (type) {
      case "turn_start":
        this.end = null;
        return [{ type: "turn_start" }];
      case "turn_end":
        return [{ type: "turn_end" }];
      case "message_end":
        return this.#readMessage(readJsonObject(fields.message) ?? {});
      case "tool_execution_start":
        return this.#readCall(fields);
      case "tool_execution_end":
        return this.#readResult(fields.toolCallId, fields.isError, readJsonObject(fields.result));
      case "agent_end":
        this.end = classifyPiEnd(this.#last);
        return NO_EVENTS;
      case "auto_retry_start":
        this.end = null;
        return [{ type: "system", text: `retrying: ${readJsonString(fields.errorMessage)}` }];
      case "compaction_start":
        return [{ type: "system", text: `summarizing the conversation (${readJsonString(fields.reason)})` }];
      case "compaction_end":
        // The model call for the summary is not in the stream.
        this.#own.isPartial = true;
        return NO_EVENTS;
      default:
        return this.#unknown.record(event);
    }
  }

  #readMessage(message: JsonFields): readonly AgentEventBody[] {
    if (message.role === "user") return [{ type: "user_message", text: joinPiText(message.content) }];
    if (message.role === "toolResult") return this.#readResult(message.toolCallId, message.isError, message);
    return message.role === "assistant" ? this.#readAnswer(message) : NO_EVENTS;
  }

  #readAnswer(message: JsonFields): readonly AgentEventBody[] {
    const error = readJsonString(message.errorMessage);
    this.#last = { stopReason: readJsonString(message.stopReason), error };
    this.model = readJsonString(message.model) || this.model;
    this.response = joinPiText(message.content) || this.response;
    const usage = readJsonObject(message.usage);
    if (usage !== null) this.#own.add(parsePiUsage(usage), readJsonObject(usage.cost)?.total);
    // An interrupted answer reports counts of 0, although it is billed.
    if (error !== "") this.#own.isPartial = true;
    const bodies = parsePiContent(message.content);
    for (const body of bodies) if (body.type === "tool_call") this.#open.add(body.callId);
    return error === "" ? bodies : [...bodies, { type: "error", message: error }];
  }

  /** Only calls that were not part of a message. */
  #readCall({ toolCallId, toolName, args }: JsonFields): readonly AgentEventBody[] {
    const callId = readJsonString(toolCallId);
    if (this.#open.has(callId)) return NO_EVENTS;
    this.#open.add(callId);
    return [{ type: "tool_call", name: readJsonString(toolName), callId, arguments: args ?? {} }];
  }

  /** Reported twice: by the tool, and as a message to the model. */
  #readResult(toolCallId: unknown, isError: unknown, result: JsonFields | null): readonly AgentEventBody[] {
    const callId = readJsonString(toolCallId);
    if (!this.#open.delete(callId)) return NO_EVENTS;
    return [{ type: "tool_result", callId, success: isError !== true, result: formatPiResult(result?.content) }];
  }
}

/** Provider name in the models file. */
const PROVIDER_ID = "assay";

const API_NAMES: Readonly<Record<GatewayDialectName, string>> = {
  chat: "openai-completions",
  responses: "openai-responses",
  anthropic: "anthropic-messages",
  gemini: "google-generative-ai",
};

/** For an unknown model. A smaller context would make it summarize early; excess output is cut off by the endpoint. */
const MODEL_LIMITS = { contextWindow: 200_000, maxTokens: 32_000 };

/** Its own retries, instead of the client's: enough for brief failures. */
const SETTINGS = { retry: { enabled: true, maxRetries: 3, provider: { maxRetries: 0 } } };

/** The file that defines the gateway as a provider. */
function buildPiModels(request: LaunchRequest, { name, dialect }: AgentModel): Record<string, unknown> {
  const provider = {
    baseUrl: getPiBaseUrl(request, dialect),
    api: API_NAMES[dialect],
    apiKey: request.key,
    models: [{ id: name, ...MODEL_LIMITS }],
  };
  return { providers: { [PROVIDER_ID]: provider } };
}

function getPiBaseUrl({ gateway }: LaunchRequest, dialect: GatewayDialectName): string {
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

const REFUSAL_PATTERN = /content_filter|refus|safety|PROHIBITED_CONTENT|RECITATION/i;

/** Classifies the end of a run by the last answer, because the program itself always ends the same way. */
function classifyPiEnd({ stopReason, error }: LastAnswer): AgentEnd {
  switch (stopReason) {
    case "error":
      return classifyPiError(error);
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

function classifyPiError(error: string): AgentEnd {
  if (REFUSAL_PATTERN.test(error)) return { kind: "stopped", reason: "refused", message: error };
  return { kind: "failed", message: error || "The model's answer ended with an error.", status: findStatusCode(error) };
}

/** The texts and calls of one message, in order. */
function parsePiContent(content: unknown): AgentEventBody[] {
  return readJsonList(content).flatMap((block) => {
    const body = parsePiBlock(readJsonObject(block) ?? {});
    return body === null ? [] : [body];
  });
}

function parsePiBlock(block: JsonFields): AgentEventBody | null {
  switch (block.type) {
    case "text":
      return block.text === "" ? null : { type: "assistant_message", text: readJsonString(block.text) };
    case "thinking":
      return { type: "reasoning", text: readJsonString(block.thinking) };
    case "toolCall":
      return {
        type: "tool_call",
        name: readJsonString(block.name),
        callId: readJsonString(block.id),
        arguments: block.arguments ?? {},
      };
    default:
      return null;
  }
}

function joinPiText(content: unknown): string {
  if (typeof content === "string") return content;
  return readJsonList(content)
    .map((block) => readJsonString(readJsonObject(block)?.text))
    .join("");
}

/** A tool's result; images are named by their type. */
function formatPiResult(content: unknown): string {
  if (typeof content === "string") return content;
  return readJsonList(content).map(formatPiPart).join("\n");
}

function formatPiPart(part: unknown): string {
  const { type, text, mimeType } = readJsonObject(part) ?? {};
  return type === "image" ? `(image ${readJsonString(mimeType)})` : readJsonString(text);
}

/** Same token classes as ours; reasoning is part of the output, and only reported by newer versions. */
function parsePiUsage(usage: JsonFields): Usage {
  const { input, output, cacheRead, cacheWrite, reasoning } = usage;
  return {
    input: parseTokenCount(input),
    output: parseTokenCount(output),
    cacheRead: parseTokenCount(cacheRead),
    cacheWrite: parseTokenCount(cacheWrite),
    ...(typeof reasoning === "number" && { reasoning: parseTokenCount(reasoning) }),
  };
}
