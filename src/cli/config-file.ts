import { existsSync, readFileSync } from "node:fs";
import { dirname, extname, relative, resolve } from "node:path";
import type { z } from "zod";
import { didYouMean, getOwn, listChosenMetrics, type Metric, mapMetricChoice, UsageError } from "../core/index.js";
import type { NamedFiles } from "../datasets/index.js";
import { mapSpecPaths } from "../datasets/index.js";
import type { EvalSuite, EvalsConfig } from "../evals/index.js";
import { resolveCommandPaths } from "../exec/index.js";
import { isEvalModule, isModulePath, loadModule } from "./load-module.js";
import { isCommandConfig } from "./program-config.js";
import type { AgentConfig, CommandConfig, PromptConfig, RunConfig } from "./run-config.js";
import { RUN_SETTINGS, type RunSetting } from "./run-settings.js";
import { requireTrust, type TrustFlags } from "./trust.js";

const CONFIG_FILE_NAMES = ["assay.config.ts", "assay.config.mjs", "assay.config.yaml", "assay.config.yml"];

export function findConfig(dir: string): string | undefined {
  const found = CONFIG_FILE_NAMES.map((name) => resolve(dir, name)).filter((path) => existsSync(path));
  if (found.length > 1)
    throw new UsageError(`Found several config files: ${found.join(", ")}. Choose one with --config.`);
  return found[0];
}

/** Reads and checks a config file. One of another project must not run code unless it is trusted. */
export async function loadConfig(path: string, trust: TrustFlags): Promise<RunConfig> {
  if (!existsSync(path)) throw new UsageError(`The config file ${path} does not exist.`);
  if (isCodeFile(path)) requireTrust(path, "it is code that would be run", trust);
  const config = await readConfig(path);
  const named = isCodeFile(path) ? undefined : findCode(config);
  if (named !== undefined) requireTrust(path, `it names ${named}, which would be run`, trust);
  return resolveConfigPaths(config, dirname(path));
}

async function readConfig(path: string): Promise<RunConfig> {
  if (!isCodeFile(path)) return loadConfigYaml(path);
  if (!isEvalModule(path)) return loadConfigModule(path);
  const { loadEvalModule } = await import("./eval-module.js");
  return checkConfig(await loadEvalModule(path), (problem) => `${path}: ${problem.text}`);
}

/** True if reading the config file runs code. */
export function isCodeFile(path: string): boolean {
  return ![".yaml", ".yml"].includes(extname(path));
}

/** The first entry of a config that is code or a command. */
function findCode({ plugins = [], agents = [], ...config }: RunConfig): string | undefined {
  const { systems = [], evaluators = [], metrics = [], reader } = config;
  const specs = [...systems, ...evaluators, ...listChosenMetrics<unknown>(metrics), reader].filter(
    (spec) => typeof spec === "string",
  );
  const commands = [
    ...agents.map((agent) => (typeof agent === "string" ? undefined : agent.command)),
    ...[...systems, ...evaluators].map((spec) => (isCommandConfig(spec) ? spec.command : undefined)),
  ];
  return [...plugins, ...specs.filter((spec) => resolveEvaluatorPath(spec, () => "") !== spec), ...commands].find(
    (found) => found !== undefined,
  );
}

/** Paths in a config file are relative to the file; makes them relative to the working folder. */
function resolveConfigPaths(config: RunConfig, dir: string): RunConfig {
  const anchor = (path: string) => {
    const seen = relative(process.cwd(), resolve(dir, path));
    return seen.startsWith(".") ? seen : `./${seen}`;
  };
  const module = <T>(spec: T) => (typeof spec === "string" && isModulePath(spec) ? anchor(spec) : spec);
  const evaluator = <T>(spec: T) => (typeof spec === "string" ? resolveEvaluatorPath(spec, anchor) : spec);
  const program = <T>(spec: T) => (isCommandConfig(spec) ? resolveProgramPaths(spec, { folder: dir, anchor }) : spec);
  const dataset = <T>(spec: T) => (typeof spec === "string" ? mapSpecPaths(spec, anchor) : spec);
  const { systems, evaluators, metrics, datasets, namedDatasets, reader, agents, agentHome, evals, models } = config;
  return {
    ...resolvePathSettings(config, anchor),
    ...(systems && { systems: systems.map(program).map(module) }),
    ...(evaluators && { evaluators: evaluators.map(program).map(evaluator) }),
    ...(metrics && { metrics: mapMetricChoice<string | Metric, string | Metric>(metrics, module) }),
    ...(datasets && { datasets: datasets.map(dataset) }),
    ...(namedDatasets && { namedDatasets: resolveNamedFilePaths(namedDatasets, anchor) }),
    ...resolvePromptPaths(config, anchor),
    ...(models && {
      models: models.map((model) =>
        typeof model === "string" ? model : { ...model, ...resolvePromptPaths(model, anchor) },
      ),
    }),
    ...(reader && { reader: module(reader) }),
    ...(agents && { agents: agents.map((agent) => resolveAgentPaths(agent, { folder: dir, anchor })) }),
    ...(agentHome && agentHome !== "inherit" && { agentHome: anchor(agentHome) }),
    ...(evals && { evals: resolveEvalPaths(evals, anchor) }),
  };
}

function resolvePromptPaths(
  { prompts }: Pick<RunConfig, "prompts">,
  anchor: (path: string) => string,
): Pick<RunConfig, "prompts"> {
  if (prompts === undefined) return {};
  const resolveOne = (prompt: string | PromptConfig) => {
    if (typeof prompt === "string") return anchor(prompt);
    return prompt.file === undefined ? prompt : { ...prompt, file: anchor(prompt.file) };
  };
  return { prompts: prompts.map(resolveOne) };
}

/** Resolves the settings that are always paths. */
function resolvePathSettings(config: RunConfig, anchor: (path: string) => string): RunConfig {
  const entries = Object.entries(config).map(([name, value]): [string, unknown] => {
    const kind = getOwn<RunSetting>(RUN_SETTINGS, name)?.kind;
    if (kind === "path" && value) return [name, anchor(value as string)];
    return [name, kind === "paths" ? (value as string[] | undefined)?.map(anchor) : value];
  });
  return Object.fromEntries(entries);
}

/** Paths of environments stay: their reader knows the config's folder. */
function resolveEvalPaths(evals: EvalsConfig, anchor: (path: string) => string): EvalsConfig {
  const { paths, suites } = evals;
  const placed = ([name, suite]: [string, EvalSuite]): [string, EvalSuite] => [
    name,
    { ...suite, ...(suite.paths && { paths: suite.paths.map(anchor) }) },
  ];
  return {
    ...evals,
    ...(paths && { paths: paths.map(anchor) }),
    ...(suites && { suites: Object.fromEntries(Object.entries(suites).map(placed)) }),
  };
}

function resolveNamedFilePaths(
  named: Readonly<Record<string, NamedFiles>>,
  anchor: (path: string) => string,
): Record<string, NamedFiles> {
  return Object.fromEntries(
    Object.entries(named).map(([name, given]) => [name, { ...given, files: given.files.map(anchor) }]),
  );
}

function resolveProgramPaths<T extends CommandConfig>(
  spec: T,
  place: { folder: string; anchor: (path: string) => string },
): T {
  const command = resolveCommandPaths(spec.command, place);
  return { ...spec, command, ...(spec.cwd === undefined ? {} : { cwd: place.anchor(spec.cwd) }) };
}

function resolveAgentPaths(
  agent: string | AgentConfig,
  place: { folder: string; anchor: (path: string) => string },
): string | AgentConfig {
  if (typeof agent === "string" || agent.command === undefined) return agent;
  return { ...agent, command: resolveCommandPaths(agent.command, place) };
}

/** `./mine.ts`, `DATASET=./mine.ts` and `NAME:./argument` name files; anything else is a name. */
export function resolveEvaluatorPath(spec: string, anchor: (path: string) => string): string {
  const [, before = "", path = ""] = /^((?:[^:=/]+[:=])*)(.*)$/s.exec(spec) ?? [];
  const isArgument = before.endsWith(":");
  const isPath = isArgument ? /^\.{1,2}\//.test(path) : isModulePath(path);
  return isPath ? `${before}${anchor(path)}` : spec;
}

async function loadConfigModule(path: string): Promise<RunConfig> {
  const exports = await loadModule(path, "config file");
  const config = exports.default ?? exports.config;
  if (config === undefined)
    throw new UsageError(`${path} has no default export. Write: export default { systems: […], datasets: […] }.`);
  return checkConfig(config, (problem) => `${path}: ${problem.text}`);
}

async function loadConfigYaml(path: string): Promise<RunConfig> {
  const { LineCounter, parseDocument, isNode, isMap, isPair } = await import("yaml");
  const lines = new LineCounter();
  const document = parseDocument(readFileSync(path, "utf8"), { lineCounter: lines });
  const at = (offset: number | undefined) => {
    const { line, col } = lines.linePos(offset ?? 0);
    return `${path}:${line}:${col}`;
  };
  const [broken] = document.errors;
  if (broken !== undefined) throw new UsageError(`${at(broken.pos[0])}: ${broken.message.split("\n")[0]}`);
  return checkConfig(document.toJS() ?? {}, ({ text, path: keys, unknownKey }) => {
    const node = document.getIn(keys, true);
    const pair = isMap(node) ? node.items.find((item) => isPair(item) && String(item.key) === unknownKey) : undefined;
    const place = isNode(pair?.key) ? pair.key : node;
    return `${at(isNode(place) ? place.range?.[0] : undefined)}: ${text}`;
  });
}

interface ConfigProblem {
  text: string;
  path: (string | number)[];
  unknownKey?: string;
}

/** Strict, because an unknown key would be silently ignored otherwise. */
async function checkConfig(config: unknown, say: (problem: ConfigProblem) => string): Promise<RunConfig> {
  // Loaded on demand: most runs have no config file.
  const { runConfigSchema: schema, ENTRY_KEYS } = await import("./run-config-schema.js");
  const parsed = schema.safeParse(config);
  if (parsed.success) return checkConfigEvals(config as RunConfig, say);
  const problems = parsed.error.issues.flatMap(findCloserIssues).map((issue): ConfigProblem => {
    const path = issue.path.map((key) => (typeof key === "number" ? key : String(key)));
    if (issue.code !== "unrecognized_keys")
      return { text: `${path.join(".") || "the config"}: ${issue.message}`, path };
    const key = issue.keys[0] ?? "";
    const known = path.length === 0 ? Object.keys(schema.shape) : (getOwn(ENTRY_KEYS, String(path[0])) ?? []);
    const place = path.length === 0 ? "" : ` Here: ${path.join(".")}.`;
    return {
      text: `unknown key "${key}".${known.length === 0 ? "" : didYouMean(key, known)}${place}`,
      path,
      unknownKey: key,
    };
  });
  throw new UsageError(problems.map(say).join("\n"));
}

/**
 * What is wrong with an object where other forms are allowed too, judged by the form that it fits best. Without one, the
 * issue itself, which lists all forms.
 */
function findCloserIssues(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const isInside = (each: z.core.$ZodIssue) => each.path.length > 0 || each.code === "unrecognized_keys";
  const forms = issue.errors.filter((own) => own.every(isInside)).sort((a, b) => a.length - b.length);
  const [best, second] = forms;
  const unknown = best?.filter(({ code }) => code === "unrecognized_keys") ?? [];
  const isClear = best !== undefined && best.length < (second?.length ?? Number.POSITIVE_INFINITY);
  const chosen = unknown.length > 0 ? unknown : isClear ? best : null;
  return chosen?.map((each) => ({ ...each, path: [...issue.path, ...each.path] })) ?? [issue];
}

/** `evals` has its own schema, loaded only if needed. */
async function checkConfigEvals(config: RunConfig, say: (problem: ConfigProblem) => string): Promise<RunConfig> {
  if (config.evals === undefined) return config;
  const { findEvalsConfigProblems } = await import("../evals/spec/evals-config.js");
  const problems = await findEvalsConfigProblems(config.evals);
  if (problems.length === 0) return config;
  const places = problems.map(({ text, path, isKey }): ConfigProblem => {
    const key = isKey ? path.at(-1) : undefined;
    if (key === undefined) return { text, path: ["evals", ...path] };
    return { text, path: ["evals", ...path.slice(0, -1)], unknownKey: String(key) };
  });
  throw new UsageError(places.map(say).join("\n"));
}
