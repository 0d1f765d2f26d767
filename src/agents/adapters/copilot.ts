import type { AgentEventBody } from "../../core/index.js";
import { type JsonFields, readJsonObject, readJsonString, toJsonText } from "../../models/index.js";
import {
  type AgentAdapter,
  type AgentEnd,
  type AgentFigures,
  type AgentLaunch,
  type AgentModel,
  findStatusCode,
  type LaunchRequest,
  type StreamReader,
  UnknownEvents,
} from "../adapter.js";

/**
 * GitHub Copilot CLI, with a model of one's own (its BYOK variables): it then needs no login at GitHub.
 * @example
 * const { args, env } = copilot.launch(request);
 * spawn(copilot.program, args, { env });
 */
export const copilot: AgentAdapter = {
  name: "copilot",
  program: "copilot",
  checkedVersion: "1.0.102",
  minVersion: "1.0.11",
  // Else it starts the newest version that it has downloaded, which trials do not.
  versionArgs: ["--no-auto-update", "--version"],
  dialects: ["chat", "responses", "anthropic"],
  provider: null,
  install: "npm install -g @github/copilot",
  login: ".copilot/config.json",
  tellsUsageAtEnd: true,
  skills: { inHome: ".copilot/skills", inProject: ".github/skills", needsName: true },
  tools: [
    "apply_patch",
    "ask_user",
    "bash",
    "create",
    "edit",
    "exit_plan_mode",
    "fetch_copilot_cli_documentation",
    "glob",
    "grep",
    "list_agents",
    "list_bash",
    "read_agent",
    "read_bash",
    "report_intent",
    "rg",
    "skill",
    "sql",
    "stop_bash",
    "task",
    "task_complete",
    "update_todo",
    "view",
    "web_fetch",
    "web_search",
    "write_agent",
    "write_bash",
  ],
  takesServers: "always",
  canContinue: true,
  efforts: { names: ["none", "minimal", "low", "medium", "high", "xhigh", "max"] },
  launch,
  reader: () => new CopilotReader(),
};

const FLAGS = [
  "--output-format=json",
  "--allow-all",
  "--no-ask-user",
  "--no-auto-update",
  "--no-color",
  "--log-level=none",
];

function launch(request: LaunchRequest): AgentLaunch {
  const { prompt, model, effort, usesOwnHome, mcp, session } = request;
  return {
    args: [
      `--prompt=${prompt}`,
      ...FLAGS,
      ...(session?.isContinued === true
        ? [session.givenId === null ? "--continue" : `--resume=${session.givenId}`]
        : []),
      ...(usesOwnHome && model !== null ? [`--model=${model.cliName}`] : []),
      ...(effort === null ? [] : [`--reasoning-effort=${effort}`]),
      ...(mcp === null ? [] : [`--additional-mcp-config=@${mcp.file}`]),
    ],
    env: usesOwnHome || model === null ? {} : buildProviderEnv(request, model),
    homeFiles: {},
  };
}

/** Offline: nothing of GitHub is called, and nothing is reported to it. */
function buildProviderEnv({ gateway, key }: LaunchRequest, { name, dialect }: AgentModel): Record<string, string> {
  const isAnthropic = dialect === "anthropic";
  return {
    COPILOT_OFFLINE: "true",
    COPILOT_MODEL: name,
    COPILOT_PROVIDER_BASE_URL: isAnthropic ? gateway.anthropic : gateway.openai,
    COPILOT_PROVIDER_TYPE: isAnthropic ? "anthropic" : "openai",
    ...(isAnthropic ? {} : { COPILOT_PROVIDER_WIRE_API: dialect === "responses" ? "responses" : "completions" }),
    COPILOT_PROVIDER_API_KEY: key,
  };
}

const NO_EVENTS: readonly AgentEventBody[] = [];

const NO_FIGURES: AgentFigures = { usage: null, costUsd: null, isPartial: false };

/** Events that repeat others or are no part of the work. */
const IGNORED_EVENTS = new Set([
  "abort",
  "assistant.idle",
  "assistant.intent",
  "assistant.message_delta",
  "assistant.message_start",
  "assistant.reasoning_delta",
  "assistant.streaming_delta",
  "assistant.tool_call_delta",
  "assistant.turn_retry",
  "assistant.usage",
  "capabilities.changed",
  "commands.changed",
  "hook.end",
  "hook.progress",
  "hook.start",
  "model.call_final_result",
  "model.call_finished",
  "model.call_start",
  "pending_messages.modified",
  "permission.completed",
  "permission.requested",
  "session.background_tasks_changed",
  "session.compaction_start",
  "session.context_changed",
  "session.custom_agents_updated",
  "session.extensions_loaded",
  "session.idle",
  "session.mcp_server_status_changed",
  "session.mcp_servers_loaded",
  "session.mode_changed",
  "session.model_change",
  "session.permissions_changed",
  "session.plan_changed",
  "session.skills_loaded",
  "session.start",
  "session.title_changed",
  "session.tools_updated",
  "session.truncation",
  "session.usage_info",
  "session.workspace_file_changed",
  // The call of the tool that loads the skill says it as well.
  "skill.invoked",
  "subagent.completed",
  "subagent.deselected",
  "subagent.selected",
  "subagent.started",
  "system.message",
  "tool.execution_partial_result",
  "tool.execution_progress",
  "tool.shell_output",
]);

/** Reads the events of `copilot --output-format json`. They contain no tokens: only the gateway counts them. */
class CopilotReader implements StreamReader {
  readonly version = null;
  readonly figures = NO_FIGURES;
  end: AgentEnd | null = null;
  response = "";
  model: string | null = null;
  sessionId: string | null = null;
  /** The last error of the session. */
  #trouble: { readonly message: string; readonly status: number | null } | null = null;
  readonly #unknown = new UnknownEvents();

  get unknown(): ReadonlyMap<string, number> {
    return this.#unknown.counts;
  }

  read(event: unknown): readonly AgentEventBody[] {
    const fields = readJsonObject(event) ?? {};
    const data = readJsonObject(fields.data) ?? {};
    switch (fields.type) {
      case "user.message":
        return [{ type: "user_message", text: readJsonString(data.content) }];
      case "assistant.turn_start":
        return isOfSubagent(data, fields) ? NO_EVENTS : [{ type: "turn_start" }];
      case "assistant.turn_end":
        return isOfSubagent(data, fields) ? NO_EVENTS : [{ type: "turn_end" }];
      case "assistant.reasoning":
        return toTextEvents("reasoning", data.content);
      case "assistant.message":
        return this.#readMessage(data, fields);
      case "tool.execution_start":
        return [toCopilotToolCall(data)];
      case "tool.execution_complete":
        return [toCopilotToolResult(data)];
      case "model.call_failure":
        return [{ type: "error", message: formatCallFailure(data) }];
      case "session.error":
        return this.#readError(data);
      case "session.info":
      case "session.warning":
      case "system.notification":
        return toTextEvents("system", data.message ?? data.content);
      case "session.compaction_complete":
        return [{ type: "system", text: "The conversation was shortened." }];
      case "subagent.failed":
        return [{ type: "error", message: readJsonString(data.error) || "A sub-agent failed." }];
      case "session.task_complete":
        return toTextEvents("system", data.summary);
      case "result":
        this.sessionId = readJsonString(fields.sessionId) || null;
        return this.#readResult(fields);
      default:
        return IGNORED_EVENTS.has(readJsonString(fields.type)) ? NO_EVENTS : this.#unknown.record(event);
    }
  }

  #readMessage(data: JsonFields, fields: JsonFields): readonly AgentEventBody[] {
    const text = readJsonString(data.content);
    if (isOfSubagent(data, fields))
      return text === ""
        ? NO_EVENTS
        : [{ type: "custom", name: "subagent_message", data: { parentCallId: findParent(data, fields), text } }];
    this.model = readJsonString(data.model) || this.model;
    const reasoning = toTextEvents("reasoning", data.reasoningText);
    if (text === "") return reasoning;
    this.response = text;
    this.#trouble = null;
    return [...reasoning, { type: "assistant_message", text }];
  }

  #readError(data: JsonFields): readonly AgentEventBody[] {
    const message = readJsonString(data.message) || "The program reported an error without a reason.";
    const status = typeof data.statusCode === "number" ? data.statusCode : findStatusCode(message);
    this.#trouble = { message, status };
    return [{ type: "error", message }];
  }

  #readResult({ exitCode }: JsonFields): readonly AgentEventBody[] {
    const { message, status } = this.#trouble ?? {
      message: `It ended with exit code ${toJsonText(exitCode)}.`,
      status: null,
    };
    this.end = exitCode === 0 && this.#trouble === null ? { kind: "done" } : { kind: "failed", message, status };
    return NO_EVENTS;
  }
}

/** Events of sub-agents name the call that started them. */
function findParent(data: JsonFields, fields: JsonFields): string {
  return readJsonString(data.parentToolCallId) || readJsonString(fields.agentId);
}

function isOfSubagent(data: JsonFields, fields: JsonFields): boolean {
  return findParent(data, fields) !== "";
}

function toTextEvents(type: "reasoning" | "system", value: unknown): readonly AgentEventBody[] {
  const text = readJsonString(value);
  return text === "" ? NO_EVENTS : [{ type, text }];
}

function toCopilotToolCall({ toolName, toolCallId, arguments: given }: JsonFields): AgentEventBody {
  return {
    type: "tool_call",
    name: readJsonString(toolName),
    callId: readJsonString(toolCallId),
    arguments: given ?? {},
  };
}

/** A command that fails is a success for the program; its exit code tells. */
function toCopilotToolResult({ toolCallId, success, result, error, shellExecution }: JsonFields): AgentEventBody {
  const exitCode = readJsonObject(shellExecution)?.exitCode ?? 0;
  const { content } = readJsonObject(result) ?? {};
  return {
    type: "tool_result",
    callId: readJsonString(toolCallId),
    success: success === true && exitCode === 0,
    result: readJsonString(content) || readJsonString(readJsonObject(error)?.message) || toJsonText(error ?? ""),
  };
}

function formatCallFailure({ statusCode, errorMessage }: JsonFields): string {
  const message = readJsonString(errorMessage) || "it gave no reason";
  return `A model call failed${typeof statusCode === "number" ? ` (status ${statusCode})` : ""}: ${message}`;
}
