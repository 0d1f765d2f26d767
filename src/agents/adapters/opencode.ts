import type { McpServer } from "../../core/environment.js";
import { UsageError } from "../../core/errors.js";
import type { Usage } from "../../core/system.js";
import type { AgentEvent, AgentHappening } from "../../core/trajectory.js";
import { type Fields, fieldsOf, jsonText, textOf } from "../../models/dialects/answer-base.js";

import type { DialectName } from "../../models/dialects/dialect.js";
import {
  type AgentAdapter,
  type AgentEnd,
  type AgentFigures,
  type AgentModel,
  type Launch,
  type LaunchRequest,
  type McpOffer,
  type StreamReader,
  statusIn,
  UnknownEvents,
} from "../adapter.js";
import { countOf, OwnFigures } from "../own-figures.js";

/** Nothing is downloaded, and nothing outside the workspace and its HOME is read. */
const OFFLINE = {
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
  launch,
  reader: () => new OpencodeReader(),
};

function launch(request: LaunchRequest): Launch {
  const { prompt, usesOwnHome } = request;
  return {
    args: [
      "run",
      "--format=json",
      "--thinking",
      "--auto",
      // With a title, the session needs no model call to generate one.
      "--title=assay",
      ...modelArgs(request),
    ],
    // It converts numeric arguments to numbers and quotes those with spaces, so the prompt is passed over stdin.
    input: prompt,
    env: { ...(usesOwnHome ? { OPENCODE_DISABLE_AUTOUPDATE: "1" } : OFFLINE), ...serverEnv(request.mcp) },
    homeFiles: usesOwnHome ? {} : homeFiles(request, modelOf(request)),
  };
}

function modelArgs(request: LaunchRequest): readonly string[] {
  if (!request.usesOwnHome) return ["-m", `${PROVIDER_ID}/${modelOf(request).name}`];
  return request.model === null ? [] : ["-m", request.model.cliName];
}

function modelOf({ model }: LaunchRequest): AgentModel {
  if (model !== null) return model;
  throw new UsageError("opencode has no default model. Name one, as in --agent opencode:MODEL.");
}

const NOTHING: readonly AgentHappening[] = [];

/** Events of subagents are not in the stream. */
const SUB_AGENT = "task";

/**
 * Reads the events of `opencode run --format json`. There is no final event: the run ends with the first step that does
 * not end with tool calls, unless another step begins.
 */
class OpencodeReader implements StreamReader {
  readonly version = null;
  readonly model = null;
  end: AgentEnd | null = null;
  response = "";
  #message = "";
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
    const part = fieldsOf(fields.part) ?? {};
    switch (fields.type) {
      case "step_start":
        this.end = null;
        return [{ type: "turn_start" }];
      case "step_finish":
        return this.#step(part);
      case "text":
        return this.#text(part);
      case "reasoning":
        return [{ type: "reasoning", text: textOf(part.text) }];
      case "tool_use":
        return this.#tool(part);
      case "error":
        return this.#error(fields.error);
      default:
        return this.#unknown.tell(event);
    }
  }

  #step({ reason, tokens, cost }: Fields): readonly AgentHappening[] {
    this.end = endOfStep(textOf(reason));
    const usage = usageOf(fieldsOf(tokens));
    if (usage !== null) this.#own.add(usage, cost);
    return [{ type: "turn_end" }];
  }

  /** Parts of one message are one text. */
  #text({ text, messageID }: Fields): readonly AgentHappening[] {
    const said = textOf(text);
    if (said === "") return NOTHING;
    const message = textOf(messageID);
    this.response = message === this.#message ? this.response + said : said;
    this.#message = message;
    return [{ type: "assistant_message", text: said }];
  }

  /** Reported when it is over, so the reported times are used instead of the current time. */
  #tool({ tool, callID, state }: Fields): readonly AgentHappening[] {
    if (tool === SUB_AGENT) this.#own.isPartial = true;
    const { status, input, output, error, time } = fieldsOf(state) ?? {};
    const callId = textOf(callID);
    const { start, end } = fieldsOf(time) ?? {};
    return [
      at(start, { type: "tool_call", name: textOf(tool), callId, arguments: input ?? {} }),
      at(end, {
        type: "tool_result",
        callId,
        success: status === "completed",
        result: textOf(output) || textOf(error),
      }),
    ];
  }

  #error(error: unknown): readonly AgentHappening[] {
    const { end, message } = endOfError(error);
    this.end = end;
    // Usage of an unfinished step is not reported.
    this.#own.isPartial = true;
    return [{ type: "error", message }];
  }
}

function at(timestamp: unknown, happening: AgentHappening): AgentHappening | AgentEvent {
  return typeof timestamp === "number" ? { ...happening, timestamp } : happening;
}

/** Prefix of model names: `assay/MODEL`. */
const PROVIDER_ID = "assay";

/** These packages are bundled with the program, so nothing is downloaded. */
const PACKAGES: Readonly<Record<DialectName, string>> = {
  chat: "@ai-sdk/openai-compatible",
  responses: "@ai-sdk/openai",
  anthropic: "@ai-sdk/anthropic",
  gemini: "@ai-sdk/google",
};

/** For an unknown model. A smaller context would make it summarize early; excess output is cut off by the endpoint. */
const LIMITS = { context: 200_000, output: 32_000 };

/**
 * Files of a temporary HOME. In a settings folder without packages it would install one for plugins from the internet while
 * the agent works; the last two files mark it as installed.
 */
function homeFiles(request: LaunchRequest, model: AgentModel): Record<string, string> {
  return {
    ".config/opencode/opencode.json": `${JSON.stringify(configOf(request, model), null, 2)}\n`,
    ".config/opencode/package-lock.json": '{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"*"}}}}\n',
    ".config/opencode/node_modules/.keep": "",
  };
}

function configOf(request: LaunchRequest, model: AgentModel): Record<string, unknown> {
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
        npm: PACKAGES[dialect],
        name: PROVIDER_ID,
        options: { baseURL: baseUrl(request, dialect), apiKey: request.key },
        models: { [name]: { name, limit: LIMITS, tool_call: true } },
      },
    },
  };
}

/** Unlike the providers' SDKs, these packages expect the version in the URL. */
function baseUrl({ gateway }: LaunchRequest, dialect: DialectName): string {
  if (dialect === "anthropic") return `${gateway.anthropic}/v1`;
  if (dialect === "gemini") return `${gateway.google}/v1beta`;
  return gateway.openai;
}

/** Reasons after which the run continues. */
const GOES_ON = new Set(["tool-calls", "unknown", ""]);

/** Null when the run continues. */
function endOfStep(reason: string): AgentEnd | null {
  if (GOES_ON.has(reason)) return null;
  if (reason === "length")
    return { kind: "stopped", reason: "truncated", message: "The model's answer reached its maximum length." };
  if (reason === "content-filter")
    return { kind: "stopped", reason: "refused", message: "The model's answer was blocked by a content filter." };
  if (reason === "error") return { kind: "failed", message: "The model's answer ended with an error.", status: null };
  return { kind: "done" };
}

/** Errors that are limits of the agent or its model. */
const STOPS: Readonly<Record<string, "truncated" | "refused">> = {
  MessageOutputLengthError: "truncated",
  ContextOverflowError: "truncated",
  ContentFilterError: "refused",
};

/** Classifies an error event; the run may still continue. */
function endOfError(error: unknown): { end: AgentEnd; message: string } {
  const { name, data } = fieldsOf(error) ?? {};
  const { message: told, statusCode } = fieldsOf(data) ?? {};
  const message = textOf(told) || textOf(name) || jsonText(error) || "The program reported an error without a reason.";
  const reason = Object.hasOwn(STOPS, textOf(name)) ? STOPS[textOf(name)] : undefined;
  if (reason !== undefined) return { end: { kind: "stopped", reason, message }, message };
  const status = typeof statusCode === "number" ? statusCode : statusIn(message);
  return { end: { kind: "failed", message, status }, message };
}

/** Environment variable with settings for MCP servers, merged with those of HOME and the folder. */
function serverEnv(mcp: McpOffer | null): Record<string, string> {
  if (mcp === null) return {};
  const servers = Object.entries(mcp.servers).map(([name, server]) => [name, settingOf(server)] as const);
  return { OPENCODE_CONFIG_CONTENT: JSON.stringify({ mcp: Object.fromEntries(servers) }) };
}

function settingOf(server: McpServer): Readonly<Record<string, unknown>> {
  if ("url" in server) return { type: "remote", ...server, enabled: true };
  const { command, args = [], env } = server;
  return { type: "local", command: [command, ...args], environment: env, enabled: true };
}

/** Parses the tokens of one step: input without cached tokens, output without reasoning. Null when the step has none. */
function usageOf(tokens: Fields | null): Usage | null {
  if (tokens === null) return null;
  const cache = fieldsOf(tokens.cache) ?? {};
  const reasoning = countOf(tokens.reasoning);
  return {
    input: countOf(tokens.input),
    output: countOf(tokens.output) + reasoning,
    cacheRead: countOf(cache.read),
    cacheWrite: countOf(cache.write),
    reasoning,
  };
}
