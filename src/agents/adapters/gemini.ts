import type { AgentEventBody, Effort } from "../../core/index.js";
import { type JsonFields, readJsonObject, readJsonString, toJsonText } from "../../models/index.js";
import {
  type AgentAdapter,
  type AgentEnd,
  type AgentFigures,
  type AgentLaunch,
  type AgentModel,
  findStatusCode,
  type LaunchRequest,
  parseTokenCount,
  type StreamReader,
  toMcpSettings,
  UnknownEvents,
} from "../adapter.js";

/** Enough for brief failures; its default of ten keeps a failing run busy for minutes. */
const MAX_ATTEMPTS = 3;

/** Without these it does not start (login method) or sends telemetry. */
const SETTINGS = {
  security: { auth: { selectedType: "gemini-api-key" } },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: MAX_ATTEMPTS },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
};

/**
 * Gemini CLI.
 * @example
 * const { args, env, homeFiles } = gemini.launch(request);
 * spawn(gemini.program, args, { env });
 */
export const gemini: AgentAdapter = {
  name: "gemini",
  program: "gemini",
  checkedVersion: "0.61.0",
  minVersion: "0.44.0",
  dialects: ["gemini"],
  provider: "google",
  install: "npm install -g @google/gemini-cli",
  tellsUsageAtEnd: true,
  login: ".gemini/oauth_creds.json",
  skills: { inHome: ".gemini/skills", inProject: ".gemini/skills", needsName: true },
  tools: [
    "activate_skill",
    "ask_user",
    "get_internal_docs",
    "glob",
    "google_web_search",
    "grep_search",
    "list_directory",
    "read_file",
    "read_many_files",
    "replace",
    "run_shell_command",
    "save_memory",
    "search_file_content",
    "web_fetch",
    "write_file",
    "write_todos",
  ],
  takesServers: "in throw-away HOME",
  canContinue: true,
  efforts: { names: ["none", "minimal", "low", "medium", "high"], takesTokens: true, inHomeOnly: true },
  launch,
  reader: () => new GeminiCliReader(),
};

function launch(request: LaunchRequest): AgentLaunch {
  const { prompt, model, gateway, key, usesOwnHome, session } = request;
  const named = model === null ? [] : ["-m", usesOwnHome ? model.cliName : model.name];
  return {
    args: [
      `--prompt=${formatGeminiPrompt(prompt)}`,
      "--output-format=stream-json",
      "--approval-mode=yolo",
      "--skip-trust",
      ...named,
      // Sessions belong to a folder, and each trial has its own.
      ...(session?.isContinued === true ? ["--resume=latest"] : []),
    ],
    env: { GOOGLE_GEMINI_BASE_URL: gateway.google, ...(usesOwnHome ? {} : { GEMINI_API_KEY: key }) },
    homeFiles: usesOwnHome ? {} : { ".gemini/settings.json": formatGeminiSettings(request) },
  };
}

/** Servers can only be configured in its own settings: it reads no other file in a folder that others can write to. */
function formatGeminiSettings({ mcp, model, effort }: LaunchRequest): string {
  const servers = mcp === null ? {} : { mcpServers: toMcpSettings(mcp.servers) };
  return `${JSON.stringify({ ...SETTINGS, ...servers, ...buildEffortSettings(model, effort) }, null, 2)}\n`;
}

/** An override for all requests to the model. */
function buildEffortSettings(model: AgentModel | null, effort: Effort | null): Record<string, unknown> {
  if (model === null || effort === null) return {};
  const thinkingConfig =
    typeof effort === "number" || effort === "none"
      ? { thinkingBudget: effort === "none" ? 0 : effort }
      : { thinkingLevel: effort.toUpperCase() };
  const override = { match: { model: model.name }, modelConfig: { generateContentConfig: { thinkingConfig } } };
  return { modelConfigs: { customOverrides: [override] } };
}

/** A prompt that begins with a slash would be a command of the program. */
function formatGeminiPrompt(prompt: string): string {
  return prompt.startsWith("/") ? ` ${prompt}` : prompt;
}

const NO_EVENTS: readonly AgentEventBody[] = [];

/** Reads the events of `gemini --output-format stream-json`. Usage is reported once, at the end. */
class GeminiCliReader implements StreamReader {
  readonly version = null;
  end: AgentEnd | null = null;
  figures: AgentFigures = NO_FIGURES;
  response = "";
  model: string | null = null;
  /** True after a tool call, so that the next text is a new answer. */
  #isNewText = true;
  /** The last error, unless the run continued after it. */
  #trouble: string | null = null;
  readonly #unknown = new UnknownEvents();

  get unknown(): ReadonlyMap<string, number> {
    return this.#unknown.counts;
  }

  read(event: unknown): readonly AgentEventBody[] {
    const fields = readJsonObject(event) ?? {};
    switch (fields.type) {
      case "init":
        this.model = readJsonString(fields.model) || null;
        return NO_EVENTS;
      case "message":
        return this.#readMessage(fields);
      case "thought":
        return [{ type: "reasoning", text: formatThought(fields) }];
      case "tool_use":
        return this.#readCall(fields);
      case "tool_result":
        return [toGeminiToolResult(fields)];
      case "error":
        return this.#readError(readJsonString(fields.message));
      case "result":
        return this.#readResult(fields);
      default:
        return this.#unknown.record(event);
    }
  }

  #readMessage({ role, content }: JsonFields): readonly AgentEventBody[] {
    const text = readJsonString(content);
    if (role !== "assistant") return [{ type: "user_message", text }];
    this.#trouble = null;
    this.response = this.#isNewText ? text : this.response + text;
    this.#isNewText = false;
    return text === "" ? NO_EVENTS : [{ type: "assistant_message", text }];
  }

  #readCall({ tool_name: name, tool_id: callId, parameters }: JsonFields): readonly AgentEventBody[] {
    this.#isNewText = true;
    this.#trouble = null;
    return [
      { type: "tool_call", name: readJsonString(name), callId: readJsonString(callId), arguments: parameters ?? {} },
    ];
  }

  #readError(message: string): readonly AgentEventBody[] {
    this.#trouble = message;
    return [{ type: "error", message }];
  }

  #readResult(fields: JsonFields): readonly AgentEventBody[] {
    const told = readJsonString(readJsonObject(fields.error)?.message);
    this.end = classifyGeminiEnd(readJsonString(fields.status), told || this.#trouble);
    this.figures = parseGeminiStats(readJsonObject(fields.stats), this.end.kind === "failed");
    this.model = findOnlyModel(readJsonObject(fields.stats)) ?? this.model;
    return told === "" ? NO_EVENTS : [{ type: "error", message: told }];
  }
}

function toGeminiToolResult({ tool_id: callId, status, output, error }: JsonFields): AgentEventBody {
  const text = readJsonString(output) || readJsonString(readJsonObject(error)?.message);
  return { type: "tool_result", callId: readJsonString(callId), success: status === "success", result: text };
}

function formatThought({ content, text, subject, description }: JsonFields): string {
  const titled = [readJsonString(subject), readJsonString(description)].filter(Boolean).join(": ");
  return readJsonString(content) || readJsonString(text) || titled || toJsonText(content);
}

type GeminiStopReason = Extract<AgentEnd, { kind: "stopped" }>["reason"];

/** The stream has no codes for these, so messages are matched. */
const STOP_PATTERNS: readonly (readonly [RegExp, GeminiStopReason])[] = [
  [/session turns|loop detected|exceeded the token limit/i, "truncated"],
  [/response was blocked/i, "refused"],
];

/** Classifies the end of a run by its last status and last error. Its own limits may be reported as success. */
function classifyGeminiEnd(status: string, message: string | null): AgentEnd {
  const reason = STOP_PATTERNS.find(([words]) => words.test(message ?? ""))?.[1];
  if (reason !== undefined) return { kind: "stopped", reason, message: message ?? "" };
  if (status === "success") return { kind: "done" };
  const text = message ?? `The program ended with the status "${status}" and gave no reason.`;
  return { kind: "failed", message: text, status: findStatusCode(text) };
}

const NO_FIGURES: AgentFigures = { usage: null, costUsd: null, isPartial: false };

/** Failed requests are missing from the figures of a run that `isBroken`. Input includes cached tokens; tokens of the total that are neither input nor output are thinking, billed as output. */
function parseGeminiStats(stats: JsonFields | null, isBroken: boolean): AgentFigures {
  if (stats === null) return NO_FIGURES;
  const prompt = parseTokenCount(stats.input_tokens);
  const said = parseTokenCount(stats.output_tokens);
  const cacheRead = Math.min(parseTokenCount(stats.cached), prompt);
  const reasoning = Math.max(0, parseTokenCount(stats.total_tokens) - prompt - said);
  const usage = { input: prompt - cacheRead, output: said + reasoning, cacheRead, reasoning };
  return { usage, costUsd: null, isPartial: isBroken };
}

/** The only model used; null when there were several or none. */
function findOnlyModel(stats: JsonFields | null): string | null {
  const models = Object.keys(readJsonObject(stats?.models) ?? {});
  return models.length === 1 ? (models[0] ?? null) : null;
}
