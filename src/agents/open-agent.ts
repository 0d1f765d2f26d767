import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { loadModels } from "../budget/index.js";
import { findModelsFile } from "../budget/models-file.js";
import { messageOf, UsageError } from "../core/errors.js";
import {
  type AgentAdapter,
  AgentSystem,
  adapterOf,
  commandAdapter,
  commandName,
  detectAgent,
  locateModel,
  type ModelPlace,
  requireModel,
  usualParallel,
} from "./index.js";

/** Which agent, and how it is run. */
export interface AgentOptions extends ModelPlace {
  /** claude, codex, gemini, opencode or pi; `NAME:MODEL` names its model as well. */
  agent?: string;
  /** Any other program, in place of `agent`: `my-agent {prompt}`. */
  command?: string;
  /** A model of the models file, `provider/model`, or what the agent's own provider calls it. */
  model?: string;
  /** What the system is called; the name of the agent unless told. */
  name?: string;
  /** Models with prices and budgets; models.yml of the working folder unless told. */
  modelsFile?: string;
  /** Trials of agents at a time. */
  maxParallel?: number;
  /** `inherit` for the user's own HOME, or a folder; a throw-away one unless told. */
  home?: string;
  /** Variables that are passed on to it. */
  passEnv?: readonly string[];
  /** Makes a trial in which another model was called than the one asked for an error; else it has a note. */
  strictModel?: boolean;
  /** Where workspaces are kept; they are removed unless told. */
  keepWorkspaces?: string;
}

/**
 * Makes a system of a coding agent: finds the program, its model, where that is called and what a trial may cost.
 * @example
 * const claude = await openAgent({ agent: "claude", model: "claude-opus-5" });
 * await evaluate({ systems: [claude], dataset: await loadDataset("agent-tasks") });
 */
export async function openAgent(options: AgentOptions): Promise<AgentSystem> {
  const { adapter, model: wanted } = chosen(options);
  const path = options.modelsFile ?? findModelsFile();
  const file = path === undefined ? null : await loadModels(path);
  const { model, upstreams, limits } = await locateModel({ adapter, wanted, options, file });
  const found = options.isPlan === true ? { program: adapter.program, version: null } : await detectAgent(adapter);
  return new AgentSystem({
    ...found,
    name: agentName(options),
    adapter,
    model,
    upstreams,
    limits,
    maxParallel: options.maxParallel ?? usualParallel(),
    home: homeOf(options),
    passEnv: options.passEnv ?? [],
    strictModel: options.strictModel === true,
    keepWorkspaces: keptIn(options),
  });
}

/**
 * What the system of an agent is called in a report.
 * @example
 * agentName({ command: "node agents/tiny.mjs {prompt}" }); // "tiny"
 */
export function agentName({ name, agent, command = "" }: Pick<AgentOptions, "name" | "agent" | "command">): string {
  return name ?? agent ?? commandName(command);
}

/** The adapter, and the model as it was named. */
function chosen({ agent, command, model }: AgentOptions): { adapter: AgentAdapter; model: string | undefined } {
  if ((agent === undefined) === (command === undefined))
    throw new UsageError(
      "An agent is either one that is known by its name (agent) or a command of your own (command).",
    );
  if (model === "") throw new UsageError("The agent's model has no name. Name one, or leave it out.");
  if (command !== undefined) {
    requireModel(command, model);
    return { adapter: commandAdapter(command), model };
  }
  const [name = "", own] = (agent ?? "").split(/:(.*)/s);
  if (own === "")
    throw new UsageError(`The agent "${agent}" names no model after its colon. Write ${name}:MODEL, or ${name}.`);
  if (own !== undefined && model !== undefined)
    throw new UsageError(`The agent "${agent}" names its model already. Leave out the model "${model}".`);
  return { adapter: adapterOf(name), model: own ?? model };
}

function homeOf({ home }: AgentOptions): string | null {
  if (home === undefined) return null;
  if (home === "inherit") return homedir();
  if (statSync(home, { throwIfNoEntry: false })?.isDirectory() === true) return resolve(home);
  throw new UsageError(
    `There is no folder ${home} to use as the agents' HOME. Name one that is there, or write inherit for your own.`,
  );
}

/** Made now: where nothing can be kept, that is better known before anything is spent. */
function keptIn({ keepWorkspaces, isPlan }: AgentOptions): string | null {
  if (keepWorkspaces === undefined) return null;
  const folder = resolve(keepWorkspaces);
  if (isPlan === true) return folder;
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return folder;
  } catch (cause) {
    throw new UsageError(
      `Workspaces cannot be kept in ${folder}: ${messageOf(cause)}. Name a folder that can be written with --keep-workspaces.`,
      { cause },
    );
  }
}
