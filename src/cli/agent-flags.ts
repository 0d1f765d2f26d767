import type { Command } from "commander";
import { UsageError } from "../core/errors.js";
import { collect, count } from "./flag-values.js";
import type { AgentConfig, RunConfig } from "./run-config.js";

/** What the flags about agents parse to. */
export interface AgentFlags {
  agent?: string[];
  agentCommand?: string[];
  agentModel?: string;
  agentEnv?: string;
}

/** The flags of commands that run agents. */
export function addAgentFlags(command: Command): Command {
  return command
    .option("--agent <name[:model]>", "a coding agent: claude, codex, gemini, opencode or pi; repeatable", collect)
    .option("--agent-command <command>", "any other agent: 'my-agent {prompt}'; repeatable", collect)
    .option("--agent-model <name>", "for --agent-command: the model, for its price and for {model}")
    .option("--agent-parallel <count>", "trials of agents at a time (default: the number of cores, at most 4)", count)
    .option("--agent-home <inherit|dir>", "your own HOME, or a folder, for agents that are logged in there")
    .option("--agent-url <url>", "where the agents' model calls go instead of their provider")
    .option("--agent-env <name,…>", "variables that are passed on to agents")
    .option("--keep-workspaces <dir>", "keep what agents leave behind, a folder for each trial");
}

/** The agents that the flags describe. */
export function describeAgents(flags: AgentFlags): Pick<RunConfig, "agents" | "agentEnv"> {
  const { agent = [], agentCommand = [], agentModel, agentEnv } = flags;
  if (agentModel !== undefined && agentCommand.length === 0)
    throw new UsageError(
      `--agent-model is for --agent-command. Of an agent known by name it is a part: --agent NAME:${agentModel}.`,
    );
  const model = agentModel === undefined ? {} : { model: agentModel };
  const agents: (string | AgentConfig)[] = [...agent, ...agentCommand.map((command) => ({ command, ...model }))];
  return {
    ...(agents.length === 0 ? {} : { agents }),
    ...(agentEnv === undefined ? {} : { agentEnv: namesIn(agentEnv) }),
  };
}

function namesIn(list: string): string[] {
  const names = list.split(",").map((name) => name.trim());
  const wrong = names.find((name) => !/^[A-Za-z_]\w*$/.test(name));
  if (wrong !== undefined)
    throw new UsageError(`--agent-env takes names of variables, such as NPM_TOKEN, but "${wrong}" is none.`);
  return names;
}
