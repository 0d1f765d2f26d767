import { accessSync, constants, mkdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { findConfiguredModel, findModelsFile, loadModels } from "../budget/index.js";
import { type Effort, getErrorMessage, omitUndefined, UsageError, type UserSimulator } from "../core/index.js";
import { type BoxOptions, type BoxSettings, deriveCommandName, resolveBoxSettings } from "../exec/index.js";
import { requireEffort } from "../models/index.js";
import type { AgentAdapter, AgentModel } from "./adapter.js";
import { requireAdapter } from "./adapters/index.js";
import type { AgentUpstreams } from "./agent-meter.js";
import { AgentSystem, getDefaultAgentConcurrency } from "./agent-system.js";
import { createCommandAdapter, needsModel, requireCommandModel } from "./command.js";
import { detectAgent } from "./detect.js";
import { type AgentModelOptions, locateModel } from "./locate-model.js";

/** Options of `openAgent`. */
export interface AgentOptions extends AgentModelOptions {
  /** claude, codex, copilot, gemini, opencode, pi, qwen, agy, aider, crush, droid or goose; `NAME:MODEL` also names the model. */
  agent?: string;
  /** Any other program instead of `agent`: `my-agent {prompt}`. */
  command?: string;
  /** The command for a further message in the same session: `my-agent --resume {session} {prompt}`. */
  continueCommand?: string;
  /** Environment variables of the command; may contain placeholders, such as `{openai_url}`. */
  env?: Readonly<Record<string, string>>;
  /** Files to write into the command's temporary HOME, by path; may contain placeholders. */
  homeFiles?: Readonly<Record<string, string>>;
  /** The least version of the command's program that works. */
  minVersion?: string;
  /** How to install the command's program. */
  install?: string;
  /** A model of the models file, `provider/model`, or a model name of the agent's provider. */
  model?: string;
  /** Answers the calls that a replay does not, such as after the first turns: a name like that of `model`. */
  thenModel?: string;
  /** Plays the users of examples that have one; see `createUserSimulator`. */
  user?: UserSimulator;
  /** The name of the system. Default: the agent's name. */
  name?: string;
  /** How much its model thinks, for agents that can be told. Default: the model's, or the agent's own. */
  effort?: Effort;
  /** File with model prices and budgets. Default: models.yml in the working directory. */
  modelsFile?: string;
  /** Concurrent trials of agents. */
  maxParallel?: number;
  /** `inherit` for the user's HOME, or a folder. Default: a temporary HOME. */
  home?: string;
  /** Environment variables to pass on. */
  passEnv?: readonly string[];
  /** Makes a trial that called another model than requested an error. Default: only a note. */
  strictModel?: boolean;
  /** True: a trivial task runs before the trials. False: never. Default: before ten trials or more, but not with a `command`. */
  canary?: boolean;
  /** Where to keep workspaces. Default: they are removed. */
  keepWorkspaces?: string;
  /** `box` runs the set-up, the agent and the graders' programs in a box. Default: none, with your permissions. */
  isolation?: string;
  /** Hosts that it may reach from the box besides its model: `HOST`, `HOST:PORT` or `*.HOST`. */
  allowHosts?: readonly string[];
  /** Files and folders that it may read in the box. */
  allowPaths?: readonly string[];
  /** What a box may use: `processes`, `memoryGib`, `cpus`, `diskGib`. Default: 1024, 4, 2 and 8. */
  boxLimits?: BoxOptions["limits"];
}

/**
 * Opens a coding agent as a system: finds its program, its model and endpoint, and the limits of a trial.
 * @example
 * const claude = await openAgent({ agent: "claude", model: "claude-opus-5-5" });
 * await evaluate({ systems: [claude], dataset: await loadDataset("agent-tasks") });
 */
export async function openAgent(options: AgentOptions): Promise<AgentSystem> {
  const { adapter, model: wanted } = selectAdapter(options);
  const path = options.modelsFile ?? findModelsFile();
  const file = path === undefined ? null : await loadModels(path);
  const { thenModel } = options;
  // Its own model is not called, so it needs no key.
  const own = await locateModel({
    adapter,
    wanted,
    options: thenModel === undefined ? options : { ...options, isPlan: true },
    file,
  });
  const then = thenModel === undefined ? null : await locateModel({ adapter, wanted: thenModel, options, file });
  if (then !== null) requireSameFormat(own.model, then.model, thenModel);
  const { model, limits } = own;
  const listed = wanted === undefined ? undefined : findConfiguredModel(wanted, file);
  const effort = options.effort ?? listed?.effort ?? null;
  if (effort !== null) requireAgentEffort(effort, { adapter, model, usesOwnHome: options.home !== undefined });
  const found = options.isPlan === true ? { program: adapter.program, version: null } : await detectAgent(adapter);
  return new AgentSystem({
    ...found,
    name: getAgentName(options),
    adapter,
    model,
    effort,
    ...(options.urlId !== undefined && { urlId: options.urlId }),
    upstreams: then === null ? own.upstreams : joinUpstreams(own.upstreams, then.upstreams),
    limits,
    maxParallel: options.maxParallel ?? getDefaultAgentConcurrency(),
    home: resolveAgentHome(options),
    passEnv: options.passEnv ?? [],
    strictModel: options.strictModel === true,
    keepWorkspaces: resolveKeepFolder(options),
    traffic: options.traffic ?? null,
    thenModel: then?.model?.name ?? null,
    user: options.user,
    // Nothing is known of what a program of the user can do.
    canary: options.canary ?? (options.command === undefined ? undefined : false),
    box: resolveAgentBox(options),
  });
}

/** The agent speaks to both models in the same way. */
function requireSameFormat(own: AgentModel | null, then: AgentModel | null, name = ""): void {
  if (own === null)
    throw new UsageError(
      `The agent needs a model that its recorded calls name, besides --then ${name}. Name it as in the recording.`,
    );
  if (own.dialect === then?.dialect) return;
  throw new UsageError(
    `--then ${name} speaks ${then?.dialect ?? "another format"}, but the recorded calls are in the API format ${own.dialect}. Name a model of that format.`,
  );
}

/** Calls go where the later model is. Replayed calls have the price of their own. */
function joinUpstreams(own: AgentUpstreams, then: AgentUpstreams): AgentUpstreams {
  return { ...own, ...then, prices: new Map([...then.prices, ...own.prices]) };
}

/** A box has a HOME of its own, and no way to the server that a login is for. */
function resolveAgentBox({ isolation, allowHosts, allowPaths, boxLimits, home }: AgentOptions): BoxSettings | null {
  const box = resolveBoxSettings({ isolation, allowHosts, allowPaths, limits: boxLimits });
  if (box === null || home === undefined) return box;
  throw new UsageError(
    "--agent-home cannot be used in a box, whose HOME is thrown away. Add --isolation none, or remove it.",
  );
}

interface EffortTarget {
  readonly adapter: AgentAdapter;
  readonly model: AgentModel | null;
  readonly usesOwnHome: boolean;
}

/** Rejects an effort that the agent or its model does not support, before anything is spent. */
function requireAgentEffort(effort: Effort, { adapter, model, usesOwnHome }: EffortTarget): void {
  const { name, efforts } = adapter;
  if (efforts === undefined)
    throw new UsageError(
      `The agent "${adapter.command ?? name}" cannot be told an effort, but is given ${effort}. Remove it.`,
    );
  if (efforts.inHomeOnly === true && usesOwnHome)
    throw new UsageError(
      `The agent ${name} reads its effort from its settings, which are yours with --agent-home. Remove the effort, or --agent-home.`,
    );
  if (efforts.inHomeOnly === true && model === null)
    throw new UsageError(`The agent ${name} takes an effort only together with a model. Write ${name}:MODEL.`);
  const isKnown = typeof effort === "number" ? efforts.takesTokens === true : efforts.names.includes(effort);
  if (!isKnown) {
    const values = [...efforts.names, ...(efforts.takesTokens === true ? ["a number of thinking tokens"] : [])];
    throw new UsageError(`The agent ${name} does not support the effort ${effort}. Use one of: ${values.join(", ")}.`);
  }
  if (model !== null) requireEffort(effort, { model: model.name });
}

/**
 * The name of an agent's system in reports.
 * @example
 * getAgentName({ command: "node agents/tiny.mjs {prompt}" }); // "tiny"
 */
export function getAgentName({ name, agent, command = "" }: Pick<AgentOptions, "name" | "agent" | "command">): string {
  return name ?? agent ?? deriveCommandName(command);
}

/** The adapter and the model as named. */
function selectAdapter(options: AgentOptions): { adapter: AgentAdapter; model: string | undefined } {
  const { agent, command, model } = options;
  if ((agent === undefined) === (command === undefined))
    throw new UsageError("Give either the name of a supported agent (agent) or your own command (command).");
  if (model === "") throw new UsageError("The agent's model name is empty. Name a model, or omit it.");
  if (command !== undefined) {
    const definition = { ...pickDefinition(options), command };
    requireCommandModel(definition, model);
    return { adapter: createCommandAdapter(definition), model };
  }
  requireNoDefinition(options);
  const [name = "", own] = (agent ?? "").split(/:(.*)/s);
  if (own === "")
    throw new UsageError(`The agent "${agent}" has no model after its colon. Write ${name}:MODEL, or ${name}.`);
  if (own !== undefined && model !== undefined)
    throw new UsageError(`The agent "${agent}" already names its model. Remove the model "${model}".`);
  const adapter = requireAdapter(name);
  const named = own ?? model;
  if (adapter.definition !== undefined && named === undefined && needsModel(adapter.definition))
    throw new UsageError(
      `${name} needs a model: write ${name}:PROVIDER/MODEL, or ${name}:NAME with a model of models.yml.`,
    );
  return { adapter, model: named };
}

const DEFINITION_KEYS = ["continueCommand", "env", "homeFiles", "minVersion", "install"] as const;

function pickDefinition({ continueCommand, env, homeFiles, minVersion, install }: AgentOptions) {
  return omitUndefined({ continueCommand, env, homeFiles, minVersion, install });
}

function requireNoDefinition(options: AgentOptions): void {
  const given = DEFINITION_KEYS.filter((key) => options[key] !== undefined);
  if (given.length === 0) return;
  throw new UsageError(
    `${given.join(" and ")} of the agent "${options.agent}" only go with a command of your own. Write \`command\` instead of \`agent\`, or remove ${given.length === 1 ? "it" : "them"}.`,
  );
}

function resolveAgentHome({ home }: AgentOptions): string | null {
  if (home === undefined) return null;
  if (home === "inherit") return homedir();
  if (statSync(home, { throwIfNoEntry: false })?.isDirectory() === true) return resolve(home);
  throw new UsageError(
    `The folder ${home} for the agents' HOME does not exist. Name an existing one, or use inherit for your own.`,
  );
}

/** Created early, so that problems are reported before anything is spent. */
function resolveKeepFolder({ keepWorkspaces, isPlan }: AgentOptions): string | null {
  if (keepWorkspaces === undefined) return null;
  const folder = resolve(keepWorkspaces);
  if (isPlan === true) return folder;
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return folder;
  } catch (cause) {
    throw new UsageError(
      `Workspaces cannot be kept in ${folder}: ${getErrorMessage(cause)}. Choose a writable folder with --keep-workspaces.`,
      { cause },
    );
  }
}
