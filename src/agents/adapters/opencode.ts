import type { AgentEvent, AgentEventBody, Effort, McpServer, Usage } from "../../core/index.js";
import { UsageError } from "../../core/index.js";
import type { GatewayDialectName } from "../../models/index.js";
import { type JsonFields, readJsonObject, readJsonString, toJsonText } from "../../models/index.js";
import {
  type AgentAdapter,
  type AgentEnd,
  type AgentFigures,
  AgentFiguresSum,
  type AgentLaunch,
  type AgentModel,
  findStatusCode,
  type LaunchRequest,
  type McpConfig,
  parseTokenCount,
  type StreamReader,
  UnknownEvents,
} from "../adapter.js";
import { isOlderVersion } from "../version.js";

/** Nothing is downloaded, and nothing outside the workspace and its HOME is read. */
const OFFLINE_ENV = {
  OPENCODE_DISABLE_MODELS_FETCH: "1",
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  OPENCODE_DISABLE_SHARE: "1",
};

/**
 * opencode.
 * @example
 * const { args, env, homeFiles } = opencode.launch(request);
 * spawn(opencode.program, args, { env });
 */
export const opencode: AgentAdapter = {
  name: "opencode",
  program: "opencode",
  checkedVersion: "1.18.33",
  minVersion: "1.2.1",
  dialects: ["chat", "responses", "anthropic", "gemini"],
  provider: null,
  install: "npm install -g opencode-ai",
  login: ".local/share/opencode/auth.json",
  skills: { inHome: ".config/opencode/skills", inProject: ".opencode/skills", needsName: true },
  tools: [
    "apply_patch",
    "bash",
    "codesearch",
    "edit",
    "glob",
    "grep",
    "list",
    "lsp",
    "multiedit",
    "patch",
    "question",
    "read",
    "skill",
    "task",
    "todoread",
    "todowrite",
    "webfetch",
    "websearch",
    "write",
  ],
  takesServers: "always",
  canContinue: true,
  efforts: {
    names: ["none", "minimal", "low", "medium", "high", "xhigh", "max"],
    takesTokens: true,
    inHomeOnly: true,
  },
  launch,
  reader: () => new OpencodeReader(),
};

function launch(request: LaunchRequest): AgentLaunch {
  const { prompt, usesOwnHome } = request;
  return {
    args: [
      "run",
      "--format=json",
      "--thinking",
      ...buildPermissionArgs(request),
      ...buildOpencodeSessionArgs(request),
      ...buildOpencodeModelArgs(request),
    ],
    // It converts numeric arguments to numbers and quotes those with spaces, so the prompt is passed over stdin.
    input: prompt,
    env: { ...(usesOwnHome ? { OPENCODE_DISABLE_AUTOUPDATE: "1" } : OFFLINE_ENV), ...buildServerEnv(request.mcp) },
    homeFiles: usesOwnHome ? {} : buildOpencodeFiles(request, requireOpencodeModel(request)),
  };
}

/** With a title, a session needs no model call to generate one. */
function buildOpencodeSessionArgs({ session }: LaunchRequest): readonly string[] {
  if (session?.isContinued !== true) return ["--title=assay"];
  return [session.givenId === null ? "--continue" : `--session=${session.givenId}`];
}

/** Versions before 1.18 call it otherwise, and those before 1.14 have none: there the settings of a temporary HOME allow all. */
function buildPermissionArgs({ version }: LaunchRequest): readonly string[] {
  if (version === null || !isOlderVersion(version, "1.18.0")) return ["--auto"];
  return isOlderVersion(version, "1.14.0") ? [] : ["--dangerously-skip-permissions"];
}

function buildOpencodeModelArgs(request: LaunchRequest): readonly string[] {
  if (!request.usesOwnHome) return ["-m", `${PROVIDER_ID}/${requireOpencodeModel(request).name}`];
  return request.model === null ? [] : ["-m", request.model.cliName];
}

function requireOpencodeModel({ model }: LaunchRequest): AgentModel {
  if (model !== null) return model;
  throw new UsageError("opencode has no default model. Name one, as in --agent opencode:MODEL.");
}

const NO_EVENTS: readonly AgentEventBody[] = [];

/** Events of subagents are not in the stream. */
const SUBAGENT_TOOL = "task";

/**
 * Reads the events of `opencode run --format json`. There is no final event: the run ends with the first step that does
 * not end with tool calls, unless another step begins.
 */
class OpencodeReader implements StreamReader {
  readonly version = null;
  readonly model = null;
  end: AgentEnd | null = null;
  response = "";
  sessionId: string | null = null;
  #message = "";
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
    const part = readJsonObject(fields.part) ?? {};
    this.sessionId ??= readJsonString(fields.sessionID) || null;
    switch (fields.type) {
      case "step_start":
        this.end = null;
        return [{ type: "turn_start" }];
      case "step_finish":
        return this.#readStep(part);
      case "text":
        return this.#readText(part);
      case "reasoning":
        return [{ type: "reasoning", text: readJsonString(part.text) }];
      case "tool_use":
        return this.#readTool(part);
      case "error":
        return this.#readError(fields.error);
      default:
        return this.#unknown.record(event);
    }
  }

  #readStep({ reason, tokens, cost }: JsonFields): readonly AgentEventBody[] {
    this.end = classifyStepEnd(readJsonString(reason));
    const usage = parseOpencodeUsage(readJsonObject(tokens));
    if (usage !== null) this.#own.add(usage, cost);
    return [{ type: "turn_end" }];
  }

  /** Parts of one message are one text. */
  #readText({ text, messageID }: JsonFields): readonly AgentEventBody[] {
    const said = readJsonString(text);
    if (said === "") return NO_EVENTS;
    const message = readJsonString(messageID);
    this.response = message === this.#message ? this.response + said : said;
    this.#message = message;
    return [{ type: "assistant_message", text: said }];
  }

  /** Reported when it is over, so the reported times are used instead of the current time. */
  #readTool({ tool, callID, state }: JsonFields): readonly AgentEventBody[] {
    if (tool === SUBAGENT_TOOL) this.#own.isPartial = true;
    const { status, input, output, error, time } = readJsonObject(state) ?? {};
    const callId = readJsonString(callID);
    const { start, end } = readJsonObject(time) ?? {};
    return [
      addTimestamp(start, { type: "tool_call", name: readJsonString(tool), callId, arguments: input ?? {} }),
      addTimestamp(end, {
        type: "tool_result",
        callId,
        success: status === "completed",
        result: readJsonString(output) || readJsonString(error),
      }),
    ];
  }

  #readError(error: unknown): readonly AgentEventBody[] {
    const { end, message } = parseOpencodeError(error);
    this.end = end;
    // Usage of an unfinished step is not reported.
    this.#own.isPartial = true;
    return [{ type: "error", message }];
  }
}

function addTimestamp(timestamp: unknown, body: AgentEventBody): AgentEventBody | AgentEvent {
  return typeof timestamp === "number" ? { ...body, timestamp } : body;
}

/** Prefix of model names: `assay/MODEL`. */
const PROVIDER_ID = "assay";

/** These packages are bundled with the program, so nothing is downloaded. */
const SDK_PACKAGES: Readonly<Record<GatewayDialectName, string>> = {
  chat: "@ai-sdk/openai-compatible",
  responses: "@ai-sdk/openai",
  anthropic: "@ai-sdk/anthropic",
  gemini: "@ai-sdk/google",
};

/** For an unknown model. A smaller context would make it summarize early; excess output is cut off by the endpoint. */
const MODEL_LIMITS = { context: 200_000, output: 32_000 };

/**
 * Files of a temporary HOME. In a settings folder without packages it would install one for plugins from the internet while
 * the agent works; the last two files mark it as installed.
 */
function buildOpencodeFiles(request: LaunchRequest, model: AgentModel): Record<string, string> {
  return {
    ".config/opencode/opencode.json": `${JSON.stringify(buildOpencodeConfig(request, model), null, 2)}\n`,
    ".config/opencode/package-lock.json": '{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"*"}}}}\n',
    ".config/opencode/node_modules/.keep": "",
  };
}

function buildOpencodeConfig(request: LaunchRequest, model: AgentModel): Record<string, unknown> {
  const { name, dialect } = model;
  const full = `${PROVIDER_ID}/${name}`;
  return {
    $schema: "https://opencode.ai/config.json",
    autoupdate: false,
    share: "disabled",
    model: full,
    small_model: full,
    enabled_providers: [PROVIDER_ID],
    // Allows every tool and question, because a run must never wait for a person.
    permission: { "*": "allow", external_directory: "allow", doom_loop: "allow" },
    provider: {
      [PROVIDER_ID]: {
        npm: SDK_PACKAGES[dialect],
        name: PROVIDER_ID,
        options: { baseURL: getOpencodeBaseUrl(request, dialect), apiKey: request.key },
        models: { [name]: { name, limit: MODEL_LIMITS, tool_call: true, ...buildOpencodeEffort(request, dialect) } },
      },
    },
  };
}

/** The effort as the package of each API format takes it. */
function buildOpencodeEffort({ effort }: LaunchRequest, dialect: GatewayDialectName): Record<string, unknown> {
  if (effort === null) return {};
  return { reasoning: effort !== "none", options: EFFORT_OPTIONS[dialect](effort) };
}

const EFFORT_OPTIONS: Readonly<Record<GatewayDialectName, (effort: Effort) => Record<string, unknown>>> = {
  chat: (effort) => ({ reasoningEffort: effort }),
  responses: (effort) => ({ reasoningEffort: effort }),
  anthropic: (effort) => {
    if (effort === "none") return { thinking: { type: "disabled" } };
    return typeof effort === "number" ? { thinking: { type: "enabled", budgetTokens: effort } } : { effort };
  },
  gemini: (effort) => ({
    thinkingConfig:
      typeof effort === "number" || effort === "none"
        ? { thinkingBudget: effort === "none" ? 0 : effort }
        : { thinkingLevel: effort },
  }),
};

/** Unlike the providers' SDKs, these packages expect the version in the URL. */
function getOpencodeBaseUrl({ gateway }: LaunchRequest, dialect: GatewayDialectName): string {
  if (dialect === "anthropic") return `${gateway.anthropic}/v1`;
  if (dialect === "gemini") return `${gateway.google}/v1beta`;
  return gateway.openai;
}

/** Reasons after which the run continues. */
const CONTINUE_REASONS = new Set(["tool-calls", "unknown", ""]);

/** Null when the run continues. */
function classifyStepEnd(reason: string): AgentEnd | null {
  if (CONTINUE_REASONS.has(reason)) return null;
  if (reason === "length")
    return { kind: "stopped", reason: "truncated", message: "The model's answer reached its maximum length." };
  if (reason === "content-filter")
    return { kind: "stopped", reason: "refused", message: "The model's answer was blocked by a content filter." };
  if (reason === "error") return { kind: "failed", message: "The model's answer ended with an error.", status: null };
  return { kind: "done" };
}

/** Errors that are limits of the agent or its model. */
const STOP_REASONS: Readonly<Record<string, "truncated" | "refused">> = {
  MessageOutputLengthError: "truncated",
  ContextOverflowError: "truncated",
  ContentFilterError: "refused",
};

/** Classifies an error event; the run may still continue. */
function parseOpencodeError(error: unknown): { end: AgentEnd; message: string } {
  const { name, data } = readJsonObject(error) ?? {};
  const { message: told, statusCode } = readJsonObject(data) ?? {};
  const message =
    readJsonString(told) ||
    readJsonString(name) ||
    toJsonText(error) ||
    "The program reported an error without a reason.";
  const reason = Object.hasOwn(STOP_REASONS, readJsonString(name)) ? STOP_REASONS[readJsonString(name)] : undefined;
  if (reason !== undefined) return { end: { kind: "stopped", reason, message }, message };
  const status = typeof statusCode === "number" ? statusCode : findStatusCode(message);
  return { end: { kind: "failed", message, status }, message };
}

/** Environment variable with settings for MCP servers, merged with those of HOME and the folder. */
function buildServerEnv(mcp: McpConfig | null): Record<string, string> {
  if (mcp === null) return {};
  const servers = Object.entries(mcp.servers).map(([name, server]) => [name, toOpencodeServer(server)] as const);
  return { OPENCODE_CONFIG_CONTENT: JSON.stringify({ mcp: Object.fromEntries(servers) }) };
}

function toOpencodeServer(server: McpServer): Readonly<Record<string, unknown>> {
  if ("url" in server) return { type: "remote", ...server, enabled: true };
  const { command, args = [], env } = server;
  return { type: "local", command: [command, ...args], environment: env, enabled: true };
}

/** Parses the tokens of one step: input without cached tokens, output without reasoning. Null when the step has none. */
function parseOpencodeUsage(tokens: JsonFields | null): Usage | null {
  if (tokens === null) return null;
  const cache = readJsonObject(tokens.cache) ?? {};
  const reasoning = parseTokenCount(tokens.reasoning);
  return {
    input: parseTokenCount(tokens.input),
    output: parseTokenCount(tokens.output) + reasoning,
    cacheRead: parseTokenCount(cache.read),
    cacheWrite: parseTokenCount(cache.write),
    reasoning,
  };
}
