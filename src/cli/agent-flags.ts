import type { Command } from "commander";
import { AGENT_NAMES } from "../budget/rules.js";
import { UsageError } from "../core/errors.js";
import { collectValues, parseCountFlag } from "./flag-values.js";
import type { AgentConfig, RunConfig } from "./run-config.js";

interface PositionedFlag {
  readonly place: number;
  readonly given: string;
}

export interface AgentFlags {
  agent?: readonly PositionedFlag[];
  agentCommand?: readonly PositionedFlag[];
  agentName?: readonly string[];
  agentModel?: string;
  agentEnv?: string;
}

export function addAgentFlags(command: Command): Command {
  // --agent-name values follow the order of the agents, which come from two flags.
  let place = 0;
  const placed = (given: string, before: readonly PositionedFlag[] = []) => [...before, { place: place++, given }];
  return addAgentSettings(
    command
      .option("--agent <name[:model]>", `run a coding agent: ${AGENT_NAMES.join(", ")}; repeatable`, placed)
      .option("--agent-command <command>", "run any other agent: 'my-agent {prompt}'; repeatable", placed)
      .option("--agent-name <name>", "name an agent; once for each agent, in the same order", collectValues)
      .option("--agent-model <name>", "for --agent-command: the model, for its price and for {model}")
      .option(
        "--agent-parallel <count>",
        "run at most this many agent trials at a time (default: the number of cores, at most 4)",
        parseCountFlag,
      ),
  );
}

/** Flags for how agents are run, however they are named. */
export function addAgentSettings(command: Command): Command {
  return command
    .option("--agent-home <inherit|dir>", "use your own HOME, or a folder, for agents that are logged in there")
    .option("--agent-url <url>", "send the agents' model calls here instead of to their provider")
    .option("--agent-env <name,…>", "pass these environment variables on to agents")
    .option("--strict-model", "count a trial as an error when the agent called a model other than the requested one")
    .option("--keep-workspaces <dir>", "keep what agents leave behind, one folder per trial");
}

/** In the order in which they were written. */
export function toAgentConfigs(flags: AgentFlags): Pick<RunConfig, "agents" | "agentEnv"> {
  const { agent = [], agentCommand = [], agentName = [], agentModel, agentEnv } = flags;
  if (agentModel !== undefined && agentCommand.length === 0)
    throw new UsageError(
      `--agent-model is only for --agent-command. For a named agent, write --agent NAME:${agentModel}.`,
    );
  const model = agentModel === undefined ? {} : { model: agentModel };
  const known = agent.map(({ place, given }) => ({ place, agent: { agent: given } }));
  const others = agentCommand.map(({ place, given }) => ({ place, agent: { command: given, ...model } }));
  const agents = [...known, ...others].sort((a, b) => a.place - b.place).map((each) => each.agent);
  return {
    ...(agents.length + agentName.length === 0 ? {} : { agents: nameAgents(agents, agentName) }),
    ...(agentEnv === undefined ? {} : { agentEnv: splitVariableNames(agentEnv) }),
  };
}

function nameAgents(agents: readonly AgentConfig[], names: readonly string[]): AgentConfig[] {
  if (names.length > 0 && names.length !== agents.length)
    throw new UsageError(
      `The command line has ${agents.length} agents but ${names.length} --agent-name flags. Give one for each agent, in the same order, or none.`,
    );
  if (names.includes("")) throw new UsageError("--agent-name is empty. Give the agent a name, or leave out the flag.");
  return agents.map((agent, i) => ({ ...agent, ...(names[i] === undefined ? {} : { name: names[i] }) }));
}

function splitVariableNames(list: string): string[] {
  const names = list.split(",").map((name) => name.trim());
  const wrong = names.find((name) => !/^[A-Za-z_]\w*$/.test(name));
  if (wrong !== undefined) throw new UsageError(`--agent-env expects variable names like NPM_TOKEN, got "${wrong}".`);
  return names;
}
