import type { AGENT_NAMES, COMMAND_AGENT_NAMES, ProviderName } from "../budget/index.js";
import type { AgentEventBody, Effort, EffortName, McpServer, Usage } from "../core/index.js";
import type { GatewayDialectName } from "../models/index.js";
import { readJsonObject, readJsonString } from "../models/index.js";
import type { AgentDefinition } from "./definition.js";

/** The supported agents. */
export type AgentName = (typeof AGENT_NAMES)[number];

/** Agents that are run by a command, which ships with Assay. */
export type CommandAgentName = (typeof COMMAND_AGENT_NAMES)[number];

/** The model an agent uses. */
export interface AgentModel {
  /** The name sent to the API. */
  readonly name: string;
  /** The name passed to the program when it uses its own settings. */
  readonly cliName: string;
  /** The API format of its endpoint. */
  readonly dialect: GatewayDialectName;
}

/** What an adapter needs to start its agent. */
export interface LaunchRequest {
  readonly prompt: string;
  /** A file with the prompt, for programs that take long prompts that way. */
  readonly promptFile: string;
  /** Null for the program's own default. */
  readonly model: AgentModel | null;
  /** How much the model should think; null for the program's own default. */
  readonly effort: Effort | null;
  /** Base URLs of the gateway for each provider's clients, in the form their SDKs expect. */
  readonly gateway: Readonly<Record<ProviderName, string>>;
  /** The installed version; null when unknown. */
  readonly version: string | null;
  /** A placeholder key; the gateway replaces it with the real one. */
  readonly key: string;
  /** True when HOME is the user's own or one they named: its settings and login are kept. */
  readonly usesOwnHome: boolean;
  readonly isRoot: boolean;
  /** The folder with the offered skills, each in a folder of its name; null for none. */
  readonly skillsDir: string | null;
  /** MCP servers to connect to; null for none. */
  readonly mcp: McpConfig | null;
  /** The session that further messages continue; null if there is only one message. */
  readonly session: SessionRequest | null;
}

/** The session of a trial in which the user sends several messages. */
export interface SessionRequest {
  /** A UUID, for programs that can be told the id of a session. */
  readonly id: string;
  /** The id that the program gave its session itself; null before, or if it tells none. */
  readonly givenId: string | null;
  /** False for the first message. */
  readonly isContinued: boolean;
}

export interface McpConfig {
  readonly servers: Readonly<Record<string, McpServer>>;
  /** A JSON file with the servers, `{ "mcpServers": … }`, as most programs read it. */
  readonly file: string;
}

/** Folders in which a program looks for skills, below its HOME and below its working folder. */
interface SkillFolders {
  readonly inHome: string;
  readonly inProject: string;
  /** True when it silently ignores a skill whose SKILL.md has no name. */
  readonly needsName?: boolean;
}

export interface AgentLaunch {
  /** Without the program's name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Text for stdin. Default: none. */
  readonly input?: string;
  /** Files to write below its HOME before it starts: path → content. Ignored when it uses its own HOME. */
  readonly homeFiles: Readonly<Record<string, string>>;
}

/** How an agent reports its end. */
export type AgentEnd =
  | { readonly kind: "done" }
  /** Stopped by its own limit or because the model declined. The result is still graded. */
  | { readonly kind: "stopped"; readonly reason: "truncated" | "refused"; readonly message: string }
  /** `status` is the HTTP status of the model's endpoint, if known. */
  | { readonly kind: "failed"; readonly message: string; readonly status: number | null };

/** The usage that a program itself reports. */
export interface AgentFigures {
  /** Null when it reports none. */
  readonly usage: Usage | null;
  readonly costUsd: number | null;
  /** True when it is known to be incomplete. */
  readonly isPartial: boolean;
}

/** Reads the events of one run of an agent. */
export interface StreamReader {
  /** Converts one event. Never throws: unknown events become `custom`. */
  read(event: unknown): readonly AgentEventBody[];
  /** From the final event; null until then. */
  readonly end: AgentEnd | null;
  readonly figures: AgentFigures;
  /** The last answer; empty when there is none. */
  readonly response: string;
  /** As reported in the stream. */
  readonly version: string | null;
  readonly model: string | null;
  /** The id of its session; absent for programs that report none, or need none to continue. */
  readonly sessionId?: string | null;
  /** Number of unknown events by type. */
  readonly unknown: ReadonlyMap<string, number>;
}

/** The efforts that an agent can be told. */
interface AgentEfforts {
  readonly names: readonly EffortName[];
  /** True when it also takes a number of thinking tokens. */
  readonly takesTokens?: boolean;
  /** True when it can only be told by files in a temporary HOME, which name the model. */
  readonly inHomeOnly?: boolean;
}

/** Everything specific to one agent. */
export interface AgentAdapter {
  readonly name: string;
  /** Looked up in PATH. */
  readonly program: string;
  /** The version the adapter was last tested with. */
  readonly checkedVersion: string;
  /** The least version that works, checked before a run; absent when unknown. */
  readonly minVersion?: string;
  /** Arguments that print the version of the program that a trial starts. Default: `--version`. */
  readonly versionArgs?: readonly string[];
  /** Supported API formats, the default first. */
  readonly dialects: readonly GatewayDialectName[];
  /** The default provider; null when provider and model must be named. */
  readonly provider: string | null;
  /** How to install it. */
  readonly install: string;
  /** Where its login is stored, below HOME. */
  readonly login?: string;
  /** True when it reports usage only at its end, so that with its own login no dollar limit can be enforced. */
  readonly tellsUsageAtEnd?: boolean;
  /** How its refusal to run as root is handled. */
  readonly asRoot?: string;
  /** The given command, for command adapters. */
  readonly command?: string;
  /** What a command adapter was made of. */
  readonly definition?: AgentDefinition;
  /** Set for an agent that could not be installed where Assay is developed. */
  readonly isUntested?: boolean;
  /** What to know before using it. */
  readonly remark?: string;
  /** Where it looks for skills, or `told` when its launch passes the folder; absent when it supports none. */
  readonly skills?: SkillFolders | "told";
  /** Its built-in tools, as named in trajectories; absent when unknown. */
  readonly tools?: readonly string[];
  /** Whether it supports MCP servers: always, or only in a temporary HOME; absent for never. */
  readonly takesServers?: "always" | "in throw-away HOME";
  /** The efforts it can be told; absent when it cannot. */
  readonly efforts?: AgentEfforts;
  /** True when a further message can be sent into the same session. */
  readonly canContinue?: boolean;
  /** True when a continued session reports the usage of all its messages, not only of the last. */
  readonly reportsSession?: boolean;
  /** True when it prints plain text instead of events: its reader gets lines, and its exit code decides how it ended. */
  readonly printsText?: boolean;
  launch(request: LaunchRequest): AgentLaunch;
  reader(): StreamReader;
}

/** Counts unknown events, so that changes of a program's stream are noticed. */
export class UnknownEvents {
  readonly counts = new Map<string, number>();

  /** Counts the event by its type, or by a better name, and returns it as a `custom` event. */
  record(event: unknown, name = readJsonString(readJsonObject(event)?.type)): AgentEventBody[] {
    const known = name || "untyped";
    this.counts.set(known, (this.counts.get(known) ?? 0) + 1);
    return [{ type: "custom", name: known, data: event }];
  }
}

/** How programs write a status code in error messages, the most reliable patterns first. */
const STATUS_PATTERNS = [
  /"(?:code|status|statusCode)"\s*:\s*([45]\d\d)\b/,
  /\b(?:status(?: code)?|HTTP|error code)\s*[:=]?\s*([45]\d\d)\b/i,
  /^\W*(?:Error:\s*)?([45]\d\d)\b/,
];

/** Names of statuses in errors without a number. */
const STATUS_BY_PHRASE: readonly (readonly [RegExp, number])[] = [
  [/UNAUTHENTICATED|authentication_error|invalid_api_key/, 401],
  [/PERMISSION_DENIED|permission_error/, 403],
  [/NOT_FOUND|not_found_error/, 404],
  [/RESOURCE_EXHAUSTED|rate_limit_error|rate_limit_exceeded/, 429],
  [/overloaded_error/, 529],
  [/UNAVAILABLE/, 503],
  [/"INTERNAL"|api_error|server_error/, 500],
];

/**
 * Finds the HTTP status in an error message; null when there is none.
 * @example
 * findStatusCode('401: {"message":"wrong key"}'); // 401
 * findStatusCode("fetch failed"); // null
 */
export function findStatusCode(message: string): number | null {
  for (const pattern of STATUS_PATTERNS) {
    const status = pattern.exec(message)?.[1];
    if (status !== undefined) return Number(status);
  }
  return STATUS_BY_PHRASE.find(([name]) => name.test(message))?.[1] ?? null;
}

/**
 * The servers in the form most programs read under `mcpServers`. Those with a URL have a type, because without one it
 * used to mean another transport.
 * @example
 * toMcpSettings({ docs: { url: "https://example.org/mcp" } }); // { docs: { type: "http", url: "https://example.org/mcp" } }
 */
export function toMcpSettings(servers: Readonly<Record<string, McpServer>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [name, "url" in server ? { type: "http", ...server } : server]),
  );
}

/** Adds up the usage that a program reports for each request. */
export class AgentFiguresSum {
  #usage: Usage | null = null;
  #costUsd = 0;
  isPartial = false;

  /** Classes that are never reported are omitted, because they are not known to be 0. */
  add(usage: Readonly<Usage>, costUsd: unknown): void {
    const sum: Usage = this.#usage ?? { input: 0, output: 0 };
    for (const [key, count] of Object.entries(usage) as [keyof Usage, number][]) sum[key] = (sum[key] ?? 0) + count;
    this.#usage = sum;
    if (typeof costUsd === "number" && costUsd > 0 && Number.isFinite(costUsd)) this.#costUsd += costUsd;
  }

  /** A cost of 0 means that the program has no price. */
  get figures(): AgentFigures {
    const usage = this.#usage === null ? null : { ...this.#usage };
    return { usage, costUsd: this.#costUsd > 0 ? this.#costUsd : null, isPartial: this.isPartial };
  }
}

/**
 * Parses a reported number of tokens; 0 when it is invalid.
 * @example
 * parseTokenCount(12); // 12
 * parseTokenCount(-1); // 0
 */
export function parseTokenCount(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
