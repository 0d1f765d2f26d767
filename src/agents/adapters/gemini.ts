import type { AgentHappening } from "../../core/trajectory.js";
import { type Fields, fieldsOf, jsonText, textOf } from "../../models/dialects/answer-base.js";
import {
  type AgentAdapter,
  type AgentEnd,
  type AgentFigures,
  type Launch,
  type LaunchRequest,
  type McpOffer,
  mcpSettings,
  type StreamReader,
  statusIn,
  UnknownEvents,
} from "../adapter.js";

import { countOf } from "../own-figures.js";

/** Enough for brief failures; its default of ten keeps a failing run busy for minutes. */
const ATTEMPTS = 3;

/** Without these it does not start (login method) or sends telemetry. */
const SETTINGS = {
  security: { auth: { selectedType: "gemini-api-key" } },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false, maxAttempts: ATTEMPTS },
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
  launch,
  reader: () => new GeminiReader(),
};

function launch({ prompt, model, gateway, key, usesOwnHome, mcp }: LaunchRequest): Launch {
  const named = model === null ? [] : ["-m", usesOwnHome ? model.cliName : model.name];
  return {
    args: [
      `--prompt=${promptText(prompt)}`,
      "--output-format=stream-json",
      "--approval-mode=yolo",
      "--skip-trust",
      ...named,
    ],
    env: { GOOGLE_GEMINI_BASE_URL: gateway.google, ...(usesOwnHome ? {} : { GEMINI_API_KEY: key }) },
    homeFiles: usesOwnHome ? {} : { ".gemini/settings.json": settingsText(mcp) },
  };
}

/** Servers can only be configured in its own settings: it reads no other file in a folder that others can write to. */
function settingsText(mcp: McpOffer | null): string {
  const servers = mcp === null ? {} : { mcpServers: mcpSettings(mcp.servers) };
  return `${JSON.stringify({ ...SETTINGS, ...servers }, null, 2)}\n`;
}

/** A prompt that begins with a slash would be a command of the program. */
function promptText(prompt: string): string {
  return prompt.startsWith("/") ? ` ${prompt}` : prompt;
}

const NOTHING: readonly AgentHappening[] = [];

/** Reads the events of `gemini --output-format stream-json`. Usage is reported once, at the end. */
class GeminiReader implements StreamReader {
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

  read(event: unknown): readonly AgentHappening[] {
    const fields = fieldsOf(event) ?? {};
    switch (fields.type) {
      case "init":
        this.model = textOf(fields.model) || null;
        return NOTHING;
      case "message":
        return this.#message(fields);
      case "thought":
        return [{ type: "reasoning", text: thoughtOf(fields) }];
      case "tool_use":
        return this.#call(fields);
      case "tool_result":
        return [resultOf(fields)];
      case "error":
        return this.#error(textOf(fields.message));
      case "result":
        return this.#result(fields);
      default:
        return this.#unknown.tell(event);
    }
  }

  #message({ role, content }: Fields): readonly AgentHappening[] {
    const text = textOf(content);
    if (role !== "assistant") return [{ type: "user_message", text }];
    this.#trouble = null;
    this.response = this.#isNewText ? text : this.response + text;
    this.#isNewText = false;
    return text === "" ? NOTHING : [{ type: "assistant_message", text }];
  }

  #call({ tool_name: name, tool_id: callId, parameters }: Fields): readonly AgentHappening[] {
    this.#isNewText = true;
    this.#trouble = null;
    return [{ type: "tool_call", name: textOf(name), callId: textOf(callId), arguments: parameters ?? {} }];
  }

  #error(message: string): readonly AgentHappening[] {
    this.#trouble = message;
    return [{ type: "error", message }];
  }

  #result(fields: Fields): readonly AgentHappening[] {
    const told = textOf(fieldsOf(fields.error)?.message);
    this.end = endOf(textOf(fields.status), told || this.#trouble);
    this.figures = figuresOf(fieldsOf(fields.stats), this.end.kind === "failed");
    this.model = onlyModel(fieldsOf(fields.stats)) ?? this.model;
    return told === "" ? NOTHING : [{ type: "error", message: told }];
  }
}

function resultOf({ tool_id: callId, status, output, error }: Fields): AgentHappening {
  const text = textOf(output) || textOf(fieldsOf(error)?.message);
  return { type: "tool_result", callId: textOf(callId), success: status === "success", result: text };
}

function thoughtOf({ content, text, subject, description }: Fields): string {
  const titled = [textOf(subject), textOf(description)].filter(Boolean).join(": ");
  return textOf(content) || textOf(text) || titled || jsonText(content);
}

type Stop = Extract<AgentEnd, { kind: "stopped" }>["reason"];

/** The stream has no codes for these, so messages are matched. */
const STOPS: readonly (readonly [RegExp, Stop])[] = [
  [/session turns|loop detected|exceeded the token limit/i, "truncated"],
  [/response was blocked/i, "refused"],
];

/** Classifies the end of a run by its last status and last error. Its own limits may be reported as success. */
function endOf(status: string, message: string | null): AgentEnd {
  const reason = STOPS.find(([words]) => words.test(message ?? ""))?.[1];
  if (reason !== undefined) return { kind: "stopped", reason, message: message ?? "" };
  if (status === "success") return { kind: "done" };
  const text = message ?? `The program ended with the status "${status}" and gave no reason.`;
  return { kind: "failed", message: text, status: statusIn(text) };
}

const NO_FIGURES: AgentFigures = { usage: null, costUsd: null, isPartial: false };

/** Failed requests are missing from the figures of a run that `isBroken`. Input includes cached tokens; tokens of the total that are neither input nor output are thinking, billed as output. */
function figuresOf(stats: Fields | null, isBroken: boolean): AgentFigures {
  if (stats === null) return NO_FIGURES;
  const prompt = countOf(stats.input_tokens);
  const said = countOf(stats.output_tokens);
  const cacheRead = Math.min(countOf(stats.cached), prompt);
  const reasoning = Math.max(0, countOf(stats.total_tokens) - prompt - said);
  const usage = { input: prompt - cacheRead, output: said + reasoning, cacheRead, reasoning };
  return { usage, costUsd: null, isPartial: isBroken };
}

/** The only model used; null when there were several or none. */
function onlyModel(stats: Fields | null): string | null {
  const models = Object.keys(fieldsOf(stats?.models) ?? {});
  return models.length === 1 ? (models[0] ?? null) : null;
}
