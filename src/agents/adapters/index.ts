import { AGENT_NAMES } from "../../budget/rules.js";
import { UsageError } from "../../core/errors.js";
import { didYouMean } from "../../core/suggest.js";
import type { AgentAdapter, AgentName } from "../adapter.js";
import { claude } from "./claude.js";
import { codex } from "./codex.js";
import { gemini } from "./gemini.js";
import { opencode } from "./opencode.js";
import { pi } from "./pi.js";

/** The agents that are known by name. */
export const ADAPTERS: Readonly<Record<AgentName, AgentAdapter>> = { claude, codex, gemini, opencode, pi };

/** The adapter of an agent by its name. */
export function adapterOf(name: string): AgentAdapter {
  if ((AGENT_NAMES as readonly string[]).includes(name)) return ADAPTERS[name as AgentName];
  throw new UsageError(
    `There is no agent "${name}".${didYouMean(name, AGENT_NAMES)} Any other is run with --agent-command 'my-agent {prompt}'.`,
  );
}
