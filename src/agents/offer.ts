import type { Environment, McpServer, OfferedSkill } from "../core/environment.js";
import { UsageError } from "../core/errors.js";
import type { Example } from "../core/example.js";
import { offeredSkills } from "../exec/workspace/index.js";
import type { AgentAdapter } from "./adapter.js";

/** What an example offers an agent besides its folder. */
export interface Offer {
  readonly skills: readonly OfferedSkill[];
  readonly servers: Readonly<Record<string, McpServer>>;
}

/** As it was checked when the dataset was loaded; an example from elsewhere is checked when its folder is made. */
export function environmentOf({ environment }: Example): Environment {
  return environment ?? {};
}

export function offerOf(example: Example): Offer {
  const environment = environmentOf(example);
  return { skills: offeredSkills(environment), servers: serversOf(environment) };
}

/** A server gets the variables of the example from all agents: some pass on a few of their own, some all. */
function serversOf({ mcpServers = {}, env = {} }: Environment): Record<string, McpServer> {
  const hasEnv = Object.keys(env).length > 0;
  const entries = Object.entries(mcpServers).map(([name, server]) =>
    "command" in server && hasEnv ? [name, { ...server, env: { ...env, ...server.env } }] : [name, server],
  );
  return Object.fromEntries(entries) as Record<string, McpServer>;
}

/** Who is offered something: an agent by its name, and whether its HOME is one that was there before. */
export interface Taker {
  readonly name: string;
  readonly adapter: AgentAdapter;
  readonly usesOwnHome: boolean;
}

/** Refuses an example that offers what an agent cannot take: it would be measured without, and nobody would know. */
export function requireTaken({ skills, servers }: Offer, taker: Taker): void {
  const problem =
    (skills.length === 0 ? null : problemWithSkills(skills, taker)) ??
    (Object.keys(servers).length === 0 ? null : problemWithServers(taker));
  if (problem === null) return;
  const names = problem.of === "skills" ? skills.map(({ name }) => name) : Object.keys(servers);
  const list = names.map((name) => `"${name}"`).join(", ");
  throw new UsageError(`${taker.name} ${problem.what} ${list}${problem.why}`);
}

interface Problem {
  readonly of: "skills" | "servers";
  readonly what: string;
  readonly why: string;
}

function problemWithSkills(skills: readonly OfferedSkill[], { adapter }: Taker): Problem | null {
  const problem = { of: "skills", what: "cannot be offered the skills" } as const;
  if (adapter.skills === undefined) return { ...problem, why: `. ${remedy(adapter, "{skills}")}` };
  const needsNames = adapter.skills !== "told" && adapter.skills.needsName === true;
  if (!needsNames || skills.every(saysName)) return null;
  return { ...problem, why: ": it passes over those without a name. Write name: NAME at the head of each SKILL.md." };
}

/** A key of its own among the lines between the dashes. */
const NAME_LINE = /^\uFEFF?---[ \t]*\r?\n(?:(?!---)[^\n]*\n)*?name[ \t]*:/;

function saysName({ files }: OfferedSkill): boolean {
  return files.some(({ dest, content }) => dest === "SKILL.md" && NAME_LINE.test(content));
}

function problemWithServers({ adapter, usesOwnHome }: Taker): Problem | null {
  const problem = { of: "servers", what: "cannot be connected to the MCP servers" } as const;
  if (adapter.takesServers === undefined) return { ...problem, why: `. ${remedy(adapter, "{mcp_config}")}` };
  if (adapter.takesServers === "always" || !usesOwnHome) return null;
  return { ...problem, why: " in a HOME that is there already. Leave out --agent-home." };
}

function remedy({ command }: AgentAdapter, word: string): string {
  if (command === undefined) return "Use another agent, or leave them out of the environment.";
  return `Write ${word} where its command takes them, or leave them out of the environment.`;
}
