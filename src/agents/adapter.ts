import type { ProviderName } from "../budget/gateway/provider.js";
import type { AGENT_NAMES } from "../budget/rules.js";
import type { McpServer } from "../core/environment.js";
import type { Usage } from "../core/system.js";
import type { AgentHappening } from "../core/trajectory.js";
import { fieldsOf, textOf } from "../models/dialects/answer-base.js";
import type { DialectName } from "../models/dialects/dialect.js";

/** The agents that are known by name. */
export type AgentName = (typeof AGENT_NAMES)[number];

/** The model an agent is to use. */
export interface AgentModel {
  /** On the wire. */
  readonly name: string;
  /** What the program is told, where its own settings are used. */
  readonly cliName: string;
  /** How its endpoint is spoken to. */
  readonly dialect: DialectName;
}

/** What an agent is started with. */
export interface LaunchRequest {
  readonly prompt: string;
  /** A file that holds the same, for programs that take long prompts so. */
  readonly promptFile: string;
  /** Null: the program's own default. */
  readonly model: AgentModel | null;
  /** The base URLs of the gateway for the clients of each provider, as the provider's own SDK takes them. */
  readonly gateway: Readonly<Record<ProviderName, string>>;
  /** A key that the gateway takes; it puts the real one in its place. */
  readonly key: string;
  /** True when the HOME is the user's own or one they named: its settings and its login are left as they are. */
  readonly usesOwnHome: boolean;
  readonly isRoot: boolean;
  /** The folder that holds the skills it is offered, each in a folder of its name; null when it is offered none. */
  readonly skillsDir: string | null;
  /** Servers of tools that it is connected to; null when there are none. */
  readonly mcp: McpOffer | null;
}

/** Servers that speak the Model Context Protocol. */
export interface McpOffer {
  readonly servers: Readonly<Record<string, McpServer>>;
  /** A file that holds the same as JSON, `{ "mcpServers": … }`, as most programs read it. */
  readonly file: string;
}

/** The folder in which a program looks for skills: below its HOME, and below the folder that it works in. */
interface SkillPlaces {
  readonly inHome: string;
  readonly inProject: string;
  /** True when it passes over a skill whose SKILL.md says no name, and does not say so. */
  readonly needsName?: boolean;
}

/** How a program is started. */
export interface Launch {
  /** After the program's own name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What it reads from its stdin, which ends then; nothing unless told. */
  readonly input?: string;
  /** Written before it starts, below its HOME: path → content. Empty when it uses its own. */
  readonly homeFiles: Readonly<Record<string, string>>;
}

/** How an agent says that it ended. */
export type AgentEnd =
  | { readonly kind: "done" }
  /** By a limit of its own, or because the model declined. What it left is graded. */
  | { readonly kind: "stopped"; readonly reason: "truncated" | "refused"; readonly message: string }
  /** Something in its way. `status` is that of the model's endpoint, where it says one. */
  | { readonly kind: "failed"; readonly message: string; readonly status: number | null };

/** What a program itself says it has used, as far as it has said so. */
export interface AgentFigures {
  /** Null when it says nothing. */
  readonly usage: Usage | null;
  readonly costUsd: number | null;
  /** True when it is known to leave something out. */
  readonly isPartial: boolean;
}

/** Reads the events that an agent prints, one run of it. */
export interface StreamReader {
  /** Takes one event and says what happened. Never throws: what it does not know it tells as `custom`. */
  read(event: unknown): readonly AgentHappening[];
  /** The final event; null while there was none. */
  readonly end: AgentEnd | null;
  readonly figures: AgentFigures;
  /** What it said last; empty when nothing. */
  readonly response: string;
  /** As the stream tells it. */
  readonly version: string | null;
  readonly model: string | null;
  /** Types of events that are not known, and how many there were of each. */
  readonly unknown: ReadonlyMap<string, number>;
}

/** Everything that is particular to one agent. */
export interface AgentAdapter {
  readonly name: string;
  /** Looked for in PATH. */
  readonly program: string;
  /** The version that its adapter was last checked with. */
  readonly checkedVersion: string;
  /** How models may be spoken to by it, the usual one first. */
  readonly dialects: readonly DialectName[];
  /** Whose models it uses, and whose default it has where none is named; null when both have to be said. */
  readonly provider: string | null;
  /** How to get it. */
  readonly install: string;
  /** Where it keeps its login, below HOME. */
  readonly login?: string;
  /** True when it says what it has used only at its end: with a login of its own, no limit in dollars can be kept. */
  readonly tellsUsageAtEnd?: boolean;
  /** What is done about its not liking to be run as root. */
  readonly asRoot?: string;
  /** The command as it was given, of an adapter for any command. */
  readonly command?: string;
  /** Where it looks for skills, or `told` when its launch says where they are; absent when it takes none. */
  readonly skills?: SkillPlaces | "told";
  /** The tools that it has of its own, as trajectories name them; absent when they are not known. */
  readonly tools?: readonly string[];
  /** Whether it can be connected to servers of tools: always, or where its HOME is a throw-away one; absent for never. */
  readonly takesServers?: "always" | "in throw-away HOME";
  /** True when it prints plain text instead of events: its reader is given lines, and its exit code says how it ended. */
  readonly printsText?: boolean;
  launch(request: LaunchRequest): Launch;
  reader(): StreamReader;
}

/** Counts the events that a reader does not know, so that a change of a program's stream is seen. */
export class UnknownEvents {
  readonly counts = new Map<string, number>();

  /** Counts it by its type, or by the name that it is better known by, and tells it as it is. */
  tell(event: unknown, name = textOf(fieldsOf(event)?.type)): AgentHappening[] {
    const known = name || "untyped";
    this.counts.set(known, (this.counts.get(known) ?? 0) + 1);
    return [{ type: "custom", name: known, data: event }];
  }
}

/** How programs write the status of an answer into the text of an error: the surest way first. */
const WRITTEN = [
  /"(?:code|status|statusCode)"\s*:\s*([45]\d\d)\b/,
  /\b(?:status(?: code)?|HTTP|error code)\s*[:=]?\s*([45]\d\d)\b/i,
  /^\W*(?:Error:\s*)?([45]\d\d)\b/,
];

/** The names that an API gives to statuses, in errors that hold no number. */
const NAMED: readonly (readonly [RegExp, number])[] = [
  [/UNAUTHENTICATED|authentication_error|invalid_api_key/, 401],
  [/PERMISSION_DENIED|permission_error/, 403],
  [/NOT_FOUND|not_found_error/, 404],
  [/RESOURCE_EXHAUSTED|rate_limit_error|rate_limit_exceeded/, 429],
  [/overloaded_error/, 529],
  [/UNAVAILABLE/, 503],
  [/"INTERNAL"|api_error|server_error/, 500],
];

/**
 * The status of a model's endpoint that the text of an error tells; null when it tells none.
 * @example
 * statusIn('401: {"message":"wrong key"}'); // 401
 * statusIn("fetch failed"); // null
 */
export function statusIn(message: string): number | null {
  for (const pattern of WRITTEN) {
    const status = pattern.exec(message)?.[1];
    if (status !== undefined) return Number(status);
  }
  return NAMED.find(([name]) => name.test(message))?.[1] ?? null;
}

/** Where a name stands for whatever the program chooses. */
const ANY_MODEL = new Set(["auto", "default"]);

/** What providers add to a name for one state of the same model: a date, a number of the release, "latest", a context length. */
const RELEASE =
  /(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{4}|\d{2}-\d{2}|\d{4}|00\d|latest|default|v\d+:\d+)|\[\w+\]|:\w+)$/;

/**
 * Whether two names mean the same model: with or without its provider, as an alias or as a dated release of it.
 * @example
 * isSameModel("gpt-5", "openai/gpt-5-2025-08-07"); // true
 * isSameModel("sonnet", "claude-sonnet-4-5"); // true
 * isSameModel("gpt-5", "gpt-5-mini"); // false
 */
export function isSameModel(asked: string, called: string): boolean {
  const [wanted, found] = [plainName(asked), plainName(called)];
  if (wanted === found || ANY_MODEL.has(wanted)) return true;
  // An alias without a version stands for the newest of its family.
  if (/\d/.test(wanted)) return false;
  const words = new Set(found.split("-"));
  return found !== "" && /\d/.test(found) && wanted.split("-").every((word) => words.has(word));
}

/** In small letters, without its provider, with one sign between parts of a version, and without a release. */
function plainName(name: string): string {
  let plain = (name.split("/").at(-1) ?? name)
    .toLowerCase()
    .replace(/^(?:\w+\.)?(?:anthropic|openai|google|amazon)\./, "");
  for (let shorter = plain.replace(RELEASE, ""); shorter !== plain; shorter = plain.replace(RELEASE, ""))
    plain = shorter;
  return plain.replaceAll(/(?<=\d)\.(?=\d)/g, "-");
}

/**
 * The servers as most programs read them, under `mcpServers`: those with an address say how they are spoken to, as the
 * plain form once meant another way.
 * @example
 * mcpSettings({ docs: { url: "https://example.org/mcp" } }); // { docs: { type: "http", url: "https://example.org/mcp" } }
 */
export function mcpSettings(servers: Readonly<Record<string, McpServer>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [name, "url" in server ? { type: "http", ...server } : server]),
  );
}
