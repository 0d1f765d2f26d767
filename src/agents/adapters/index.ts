import { ALL_AGENT_NAMES } from "../../budget/index.js";
import { didYouMean, getOwn, UsageError } from "../../core/index.js";
import type { AgentAdapter, AgentName, CommandAgentName } from "../adapter.js";
import { createCommandAdapter } from "../command.js";
import { claude } from "./claude.js";
import { codex } from "./codex.js";
import { COMMAND_AGENT_DEFINITIONS } from "./command-agents.js";
import { copilot } from "./copilot.js";
import { gemini } from "./gemini.js";
import { opencode } from "./opencode.js";
import { pi } from "./pi.js";
import { qwen } from "./qwen.js";

/** All agents by name. */
export const ADAPTERS: Readonly<Record<AgentName, AgentAdapter>> = {
  claude,
  codex,
  copilot,
  gemini,
  opencode,
  pi,
  qwen,
};

/** Agents that are run by a command, by name. */
export const COMMAND_AGENTS: Readonly<Record<CommandAgentName, AgentAdapter>> = {
  agy: createShippedAdapter("agy"),
  aider: createShippedAdapter("aider"),
  crush: createShippedAdapter("crush"),
  droid: createShippedAdapter("droid"),
  goose: createShippedAdapter("goose"),
};

function createShippedAdapter(name: CommandAgentName): AgentAdapter {
  const definition = COMMAND_AGENT_DEFINITIONS[name];
  const { dialects, isUntested, remark } = definition;
  return {
    ...createCommandAdapter(definition, name),
    dialects,
    ...(isUntested === true && { isUntested }),
    ...(remark !== undefined && { remark }),
  };
}

/** The names of the agents that can continue a session. */
export function listContinuingAgents(): string[] {
  return Object.values({ ...ADAPTERS, ...COMMAND_AGENTS }).flatMap(({ name, canContinue }) =>
    canContinue === true ? [name] : [],
  );
}

/** Returns the adapter of an agent; throws when the name is unknown. */
export function requireAdapter(name: string): AgentAdapter {
  const known: Readonly<Record<string, AgentAdapter>> = { ...ADAPTERS, ...COMMAND_AGENTS };
  const adapter = getOwn(known, name);
  if (adapter !== undefined) return adapter;
  throw new UsageError(
    `Unknown agent "${name}".${didYouMean(name, ALL_AGENT_NAMES)} To run another program, use --agent-command 'my-agent {prompt}'.`,
  );
}
