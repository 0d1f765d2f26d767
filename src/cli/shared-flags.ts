import { readFileSync } from "node:fs";
import { type Command, Option } from "commander";
import { didYouMean, EXAMPLE_MODELS, getErrorMessage, omitUndefined, UsageError } from "../core/index.js";
import { DIALECT_NAMES, type DialectName } from "../models/index.js";
import { collectValues, parseCountFlag, parseDollarsFlag, parseNumberFlag } from "./flag-values.js";
import type { AgentConfig, JudgeConfig, ModelConfig, RunConfig } from "./run-config.js";
import type { RunFlags } from "./run-flags.js";
import {
  AGENT_NAME_SETTINGS,
  AGENT_SETTINGS,
  BOX_SETTINGS,
  KIND_PARSERS,
  REPORT_SETTINGS,
  type RunSetting,
  type RunSettings,
} from "./run-settings.js";
import { TRUST_FLAG } from "./trust.js";

/** Adds the flags of settings. Commander stores each value under the name of the setting. */
export function addSettings(command: Command, settings: RunSettings): Command {
  for (const [name, setting] of Object.entries(settings)) {
    if (setting.flag !== undefined) command.addOption(new SettingOption(name, setting));
  }
  return command;
}

class SettingOption extends Option {
  readonly #name: string;

  constructor(name: string, { flag = "", help, kind, section, parse = KIND_PARSERS[kind] ?? undefined }: RunSetting) {
    super(flag, help);
    this.#name = name;
    if (section != null) this.helpGroup(`${section}:`);
    if (parse !== undefined) this.argParser(parse as (value: string, before: unknown) => unknown);
  }

  override attributeName(): string {
    return this.negate ? super.attributeName() : this.#name;
  }
}

export interface JudgeFlags {
  /** Several form a panel. */
  judgeModel?: readonly string[];
  judgeUrl?: readonly string[];
  judgeApi?: readonly string[];
  /** Environment variable that holds the key. */
  judgeApiKeyEnv?: string;
  judgeScale?: string;
  judgeRubric?: string;
  judgePanel?: string;
  judgePairwise?: boolean;
  judgePerTurn?: boolean;
}

export function splitJudgeFlags<T extends JudgeFlags>(
  flags: T,
): { judge?: JudgeConfig; rest: Omit<T, keyof JudgeFlags> } {
  const {
    judgeModel,
    judgeUrl,
    judgeApi,
    judgeApiKeyEnv,
    judgeScale,
    judgeRubric,
    judgePanel,
    judgePairwise,
    judgePerTurn,
    ...rest
  } = flags;
  const models = describeJudgeModels({ model: judgeModel, proxy: judgeUrl, api: judgeApi });
  const stray = [judgeApiKeyEnv, judgeScale, judgeRubric, judgePanel, judgePairwise, judgePerTurn];
  if (models === undefined && stray.some((flag) => flag !== undefined))
    throw new UsageError(
      `No judge is set. Add --judge-model ${EXAMPLE_MODELS.openai}, or --judge-url URL --judge-model NAME.`,
    );
  if (models === undefined) return { rest };
  const judge: JudgeConfig = {
    models: models.map((model) => ({
      ...model,
      ...(judgeApiKeyEnv === undefined ? {} : { apiKeyEnv: judgeApiKeyEnv }),
    })),
    // The judge itself rejects unknown scales and rules.
    ...(judgeScale === undefined ? {} : { scale: judgeScale as NonNullable<JudgeConfig["scale"]> }),
    ...(judgePanel === undefined ? {} : { panel: judgePanel as NonNullable<JudgeConfig["panel"]> }),
    ...(judgeRubric === undefined ? {} : { rubric: readRubric(judgeRubric) }),
    ...(judgePairwise === undefined ? {} : { pairwise: judgePairwise }),
    ...(judgePerTurn === undefined ? {} : { perTurn: judgePerTurn }),
  };
  return { judge, rest };
}

function describeJudgeModels(flags: ModelFlags): ModelConfig[] | undefined {
  try {
    return describeModels(flags);
  } catch (error) {
    throw error instanceof UsageError ? renameJudgeFlags(error) : error;
  }
}

const JUDGE_FLAG_NAMES = { "--model": "--judge-model", "--proxy": "--judge-url", "--api": "--judge-api" };

/** Rewrites an error about a model with the names of the judge's flags. */
export function renameJudgeFlags(error: UsageError): UsageError {
  const message = Object.entries(JUDGE_FLAG_NAMES).reduce(
    (text, [theirs, ours]) => text.replace(new RegExp(`${theirs}(?![\\w-])`, "g"), ours),
    error.message.replace("--api-key-env", "--judge-api-key-env"),
  );
  return new UsageError(message, { cause: error });
}

/** Read at start, so that a resumed run judges with the same text. */
function readRubric(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (cause) {
    throw new UsageError(`The rubric ${path} cannot be read: ${getErrorMessage(cause)}.`, { cause });
  }
}

/** Values of `--proxy`, `--model`, `--name` and `--api`, each once or repeated. */
export interface ModelFlags {
  model?: readonly string[] | undefined;
  proxy?: readonly string[] | undefined;
  name?: readonly string[] | undefined;
  api?: readonly string[] | undefined;
}

/**
 * The first `--proxy` belongs to the first `--model` and the first `--name`, and so on. A proxy, model or API format given
 * once applies to all. Undefined if there is none.
 * @example
 * describeModels({ proxy: ["http://a:1", "http://b:2"], model: ["m"] }); // m behind both
 */
export function describeModels(flags: ModelFlags): ModelConfig[] | undefined {
  const { model = [], proxy = [], name = [], api = [] } = flags;
  if (model.length + proxy.length === 0) {
    const [stray] = [...name, ...api];
    if (stray === undefined) return undefined;
    throw new UsageError(`--name and --api require a --model or --proxy, but "${stray}" has none.`);
  }
  const count = Math.max(model.length, proxy.length);
  requireMatchingCount("--model", model, count);
  requireMatchingCount("--proxy", proxy, count);
  requireMatchingCount("--api", api, count);
  if (name.length > 0 && name.length !== count)
    throw new UsageError(
      `The command line has ${count} models but ${name.length} --name flags. Give one for each, or none.`,
    );
  return Array.from({ length: count }, (_, i) => {
    const [one, url, dialect, own] = [takeFlagValue(model, i), takeFlagValue(proxy, i), takeFlagValue(api, i), name[i]];
    return {
      ...(one === undefined ? {} : { model: one }),
      ...(url === undefined ? {} : { proxy: url }),
      ...(own === undefined ? {} : { name: own }),
      ...(dialect === undefined ? {} : { api: requireApiFlag(dialect) }),
    };
  });
}

function takeFlagValue(values: readonly string[], i: number): string | undefined {
  return values.length === 1 ? values[0] : values[i];
}

function requireMatchingCount(flag: string, values: readonly string[], count: number): void {
  if (values.length <= 1 || values.length === count) return;
  throw new UsageError(`${flag} is given ${values.length} times for ${count} models. Give it once, or once for each.`);
}

function requireApiFlag(name: string): DialectName {
  if ((DIALECT_NAMES as readonly string[]).includes(name)) return name as DialectName;
  throw new UsageError(
    `Unknown --api "${name}".${didYouMean(name, DIALECT_NAMES)} Use one of ${DIALECT_NAMES.join(", ")}.`,
  );
}

interface PositionedFlag {
  readonly place: number;
  readonly given: string;
}

export interface AgentFlags {
  agent?: readonly PositionedFlag[] | undefined;
  agentCommand?: readonly PositionedFlag[] | undefined;
  agentName?: readonly string[] | undefined;
  agentModel?: string | undefined;
  agentContinue?: string | undefined;
}

export function addAgentFlags(command: Command): Command {
  // --agent-name values follow the order of the agents, which come from two flags.
  let place = 0;
  const placed = (given: string, before: readonly PositionedFlag[] = []) => [...before, { place: place++, given }];
  return addSettings(command, {
    ...AGENT_NAME_SETTINGS,
    agent: { ...AGENT_NAME_SETTINGS.agent, parse: placed },
    agentCommand: { ...AGENT_NAME_SETTINGS.agentCommand, parse: placed },
    ...AGENT_SETTINGS,
    ...BOX_SETTINGS,
  });
}

/** In the order in which they were written. */
export function toAgentConfigs(flags: AgentFlags): Pick<RunConfig, "agents"> {
  const { agent = [], agentCommand = [], agentName = [], agentModel, agentContinue } = flags;
  if (agentModel !== undefined && agentCommand.length === 0)
    throw new UsageError(
      `--agent-model is only for --agent-command. For a named agent, write --agent NAME:${agentModel}.`,
    );
  if (agentContinue !== undefined && agentCommand.length === 0)
    throw new UsageError("--agent-continue is only for --agent-command: the named agents know how to continue.");
  const more = omitUndefined({ model: agentModel, continueCommand: agentContinue });
  const known = agent.map(({ place, given }) => ({ place, agent: { agent: given } }));
  const others = agentCommand.map(({ place, given }) => ({ place, agent: { command: given, ...more } }));
  const agents = [...known, ...others].sort((a, b) => a.place - b.place).map((each) => each.agent);
  return agents.length + agentName.length === 0 ? {} : { agents: nameAgents(agents, agentName) };
}

function nameAgents(agents: readonly AgentConfig[], names: readonly string[]): AgentConfig[] {
  if (names.length > 0 && names.length !== agents.length)
    throw new UsageError(
      `The command line has ${agents.length} agents but ${names.length} --agent-name flags. Give one for each agent, in the same order, or none.`,
    );
  if (names.includes("")) throw new UsageError("--agent-name is empty. Give the agent a name, or leave out the flag.");
  return agents.map((agent, i) => ({ ...agent, ...(names[i] === undefined ? {} : { name: names[i] }) }));
}

/** Values of `--system-command`, `--system-url` and `--evaluator-command`, and of `--name` for the first two. */
export interface ProgramFlags {
  systemCommand?: readonly string[] | undefined;
  systemUrl?: readonly string[] | undefined;
  evaluatorCommand?: readonly string[] | undefined;
  name?: readonly string[] | undefined;
}

/** Systems and evaluators by name or file, followed by programs and addresses. */
export function addProgramConfigs(
  { systems, evaluators }: Pick<RunConfig, "systems" | "evaluators">,
  { systemCommand = [], systemUrl = [], evaluatorCommand = [], name = [] }: ProgramFlags,
): Pick<RunConfig, "systems" | "evaluators"> {
  const programs = [...systemCommand.map((command) => ({ command })), ...systemUrl.map((url) => ({ url }))];
  if (name.length > 0 && name.length !== programs.length)
    throw new UsageError(
      `The command line has ${programs.length} systems that --name could name, but ${name.length} --name flags. Give one for each --system-command, then one for each --system-url, or none.`,
    );
  const named = programs.map((program, i) => ({ ...program, ...(name[i] === undefined ? {} : { name: name[i] }) }));
  const scorers = evaluatorCommand.map((command) => ({ command }));
  return omitUndefined({
    systems: named.length === 0 ? systems : [...(systems ?? []), ...named],
    evaluators: scorers.length === 0 ? evaluators : [...(evaluators ?? []), ...scorers],
  });
}

/** As parsed by commander: false for --no-queue. */
export interface QueueFlags {
  queue?: string | false;
}

export function describeQueue(queue: QueueFlags["queue"] | undefined): Pick<RunFlags, "queue" | "withoutQueue"> {
  if (queue === undefined) return {};
  return queue === false ? { withoutQueue: true } : { queue };
}

export function addReportFlags(command: Command, usual = "table"): Command {
  const { output } = REPORT_SETTINGS;
  const help = output.help.replace("default: table", `default: ${usual}`);
  return addSettings(command, { ...REPORT_SETTINGS, output: { ...output, help } });
}

/** Flags of commands that run eval files: models, judges and costs. */
export function addEvalRunFlags(command: Command): Command {
  return command
    .option("--mock <script>", "simulate the agents' model with this script; needs no key: see assay mock")
    .option("--judge-model <name>", "use this model for graders that need one")
    .option("--judge-url <url>", "call the judge at this base URL")
    .option("--judge-api-key-env <variable>", "read the judge's key from this environment variable")
    .option(
      "--max-cost <dollars>",
      "limit the cost of the whole run: trials that might exceed it are not started",
      parseDollarsFlag,
    )
    .option(
      "--trial-max-cost <dollars>",
      "limit the cost of each trial: it is stopped there and graded on what it has produced",
      parseNumberFlag,
    )
    .option(
      "--workers <count>",
      "run this many trials at a time (default: the number of cores, at most 4)",
      parseCountFlag,
    );
}

/** Flags of commands that run eval files: agents and project. */
export function addEvalProjectFlags(command: Command): Command {
  return addSettings(command, { ...AGENT_SETTINGS, ...BOX_SETTINGS })
    .option("--models <file>", "read models, prices and budgets from this file (default: models.yml if present)")
    .option("--api-key-env <variable>", "read the key of the agent's model from this environment variable")
    .option("--allow-insecure", "allow sending a key over plain http to another machine")
    .option(
      "--plugin <file>",
      "load a module that exports register(registry), such as for graders; repeatable",
      collectValues,
    )
    .option(...TRUST_FLAG)
    .option(
      "--config <file>",
      "read the project's config from this file (default: assay.config.ts, .mjs, .yaml if present)",
    );
}
