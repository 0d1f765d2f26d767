import { AGENT_NAMES } from "../../budget/index.js";
import { didYouMean, UsageError } from "../../core/index.js";
import type { AgentAdapter, AgentName } from "../adapter.js";
import { claude } from "./claude.js";
import { codex } from "./codex.js";
import { gemini } from "./gemini.js";
import { opencode } from "./opencode.js";
import { pi } from "./pi.js";

/** All agents by name. */
export const ADAPTERS: Readonly<Record<AgentName, AgentAdapter>> = { claude, codex, gemini, opencode, pi };

/** Returns the adapter of an agent; throws when the name is unknown. */
export function requireAdapter(name: string): AgentAdapter {
  if ((AGENT_NAMES as readonly string[]).includes(name)) return ADAPTERS[name as AgentName];
  throw new UsageError(
    `Unknown agent "${name}".${didYouMean(name, AGENT_NAMES)} To run another program, use --agent-command 'my-agent {prompt}'.`,
  );
}
