import type { Command } from "commander";
import { AGENT_NAMES } from "../budget/rules.js";
import { UsageError } from "../core/errors.js";
import { collect, count } from "./flag-values.js";
import type { AgentConfig, RunConfig } from "./run-config.js";

/** An agent as a flag names it, and its place among those of all such flags. */
interface Placed {
  readonly place: number;
  readonly given: string;
}

/** What the flags about agents parse to. */
export interface AgentFlags {
  agent?: readonly Placed[];
  agentCommand?: readonly Placed[];
  agentName?: readonly string[];
  agentModel?: string;
  agentEnv?: string;
}

/** The flags of commands that run agents. */
export function addAgentFlags(command: Command): Command {
  // Names are given in the order of the agents, which come from two flags.
  let place = 0;
  const placed = (given: string, before: readonly Placed[] = []) => [...before, { place: place++, given }];
  return addAgentSettings(
    command
      .option("--agent <name[:model]>", `a coding agent: ${AGENT_NAMES.join(", ")}; repeatable`, placed)
      .option("--agent-command <command>", "any other agent: 'my-agent {prompt}'; repeatable", placed)
      .option("--agent-name <name>", "what an agent is called; once for each, in their order", collect)
      .option("--agent-model <name>", "for --agent-command: the model, for its price and for {model}")
      .option(
        "--agent-parallel <count>",
        "trials of agents at a time (default: the number of cores, at most 4)",
        count,
      ),
  );
}

/** The flags that say how agents are run, whatever names them. */
export function addAgentSettings(command: Command): Command {
  return command
    .option("--agent-home <inherit|dir>", "your own HOME, or a folder, for agents that are logged in there")
    .option("--agent-url <url>", "where the agents' model calls go instead of their provider")
    .option("--agent-env <name,…>", "variables that are passed on to agents")
    .option("--strict-model", "make a trial an error in which an agent called another model than the one asked for")
    .option("--keep-workspaces <dir>", "keep what agents leave behind, a folder for each trial");
}

/** The agents that the flags describe, in the order in which they were written. */
export function describeAgents(flags: AgentFlags): Pick<RunConfig, "agents" | "agentEnv"> {
  const { agent = [], agentCommand = [], agentName = [], agentModel, agentEnv } = flags;
  if (agentModel !== undefined && agentCommand.length === 0)
    throw new UsageError(
      `--agent-model is for --agent-command. Of an agent known by name it is a part: --agent NAME:${agentModel}.`,
    );
  const model = agentModel === undefined ? {} : { model: agentModel };
  const known = agent.map(({ place, given }) => ({ place, agent: { agent: given } }));
  const others = agentCommand.map(({ place, given }) => ({ place, agent: { command: given, ...model } }));
  const agents = [...known, ...others].sort((a, b) => a.place - b.place).map((each) => each.agent);
  return {
    ...(agents.length + agentName.length === 0 ? {} : { agents: named(agents, agentName) }),
    ...(agentEnv === undefined ? {} : { agentEnv: namesIn(agentEnv) }),
  };
}

function named(agents: readonly AgentConfig[], names: readonly string[]): AgentConfig[] {
  if (names.length > 0 && names.length !== agents.length)
    throw new UsageError(
      `There are ${agents.length} agents on the command line but ${names.length} times --agent-name. Give each its own, in their order, or none.`,
    );
  if (names.includes("")) throw new UsageError("--agent-name is empty. Give the agent a name, or leave the flag out.");
  return agents.map((agent, i) => ({ ...agent, ...(names[i] === undefined ? {} : { name: names[i] }) }));
}

function namesIn(list: string): string[] {
  const names = list.split(",").map((name) => name.trim());
  const wrong = names.find((name) => !/^[A-Za-z_]\w*$/.test(name));
  if (wrong !== undefined)
    throw new UsageError(`--agent-env takes names of variables, such as NPM_TOKEN, but "${wrong}" is none.`);
  return names;
}
