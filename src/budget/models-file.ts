import { readFileSync } from "node:fs";
import { BudgetError, messageOf } from "../core/errors.js";
import type { Limits, Price } from "../core/price.js";
import { type FileProblem, parseYaml, type YamlTree } from "../utils/files/yaml-tree.js";
import { bundledPrice } from "./bundled-prices.js";
import type { ModelCheck, RawModel } from "./model-schema.js";
import { type ListedModel, listModels } from "./models-list.js";
import { type Pricing, priceFrom } from "./price.js";
import { type Budgets, type ResolvedBudgets, resolveAtPrice } from "./resolve.js";

/** Where a model's price was found. */
export type PriceOrigin = "models.yml" | "bundled" | "none";

/** One model of a models file: what the file says of it, and what follows from that. */
export interface ModelEntry {
  readonly name: string;
  /** The name on the wire. */
  readonly apiName: string;
  readonly provider: string | null;
  /** As in the file; see `endpointOf` for the provider's default. */
  readonly baseUrl: string | null;
  /** As in the file; see `endpointOf` for the provider's default. */
  readonly apiKeyEnv: string | null;
  readonly agentCli: string | null;
  readonly agentModelName: string | null;
  readonly pricing: Pricing | null;
  readonly budgets: Budgets;
  readonly limits: Limits;
  readonly resolved: ResolvedBudgets;
  readonly price: Price | null;
  readonly priceSource: PriceOrigin;
}

/** The models of a file, by name. */
export interface ModelsFile {
  readonly file: string;
  readonly models: ReadonlyMap<string, ModelEntry>;
  readonly default: string | null;
}

/** A models file with something wrong in it: the message has a line for each problem. */
export class ModelsFileError extends BudgetError {
  readonly problems: readonly FileProblem[];

  constructor(file: string, problems: readonly FileProblem[]) {
    const sorted = [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
    super(sorted.map(({ line, column, text }) => `${file}:${line}:${column}: ${text}`).join("\n"));
    this.problems = sorted;
  }
}

/**
 * Reads a models file. Models without pricing have the bundled price of the moment `at`, now unless told.
 * @example
 * const { models } = await loadModels("models.yml");
 * models.get("gpt-5")?.resolved.maxCostUsd;
 */
export async function loadModels(file: string, { at = new Date() }: { at?: Date } = {}): Promise<ModelsFile> {
  const tree = await parseYaml(readText(file));
  if (tree.isBroken) throw new ModelsFileError(file, tree.problems);
  const { models: listed, defaultName, problems } = listModels(tree);
  // Most runs have no such file, and do without what checks it.
  const { modelCheck } = await import("./model-schema.js");
  const reading: Reading = { file, at, tree, check: modelCheck() };
  const read = await Promise.all(listed.map((model) => readModel(model, reading)));
  const found = [...tree.problems, ...problems, ...read.flatMap((model) => model.problems)];
  if (found.length > 0) throw new ModelsFileError(file, found);
  const entries = read.flatMap(({ entry }) => (entry === undefined ? [] : [entry]));
  return { file, models: new Map(entries.map((entry) => [entry.name, entry])), default: defaultName };
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new BudgetError(`The models file ${file} cannot be read: ${messageOf(cause)}.`, { cause });
  }
}

interface Reading {
  readonly file: string;
  readonly at: Date;
  readonly tree: YamlTree;
  readonly check: ModelCheck;
}

type ReadModel = { readonly entry?: ModelEntry; readonly problems: readonly FileProblem[] };

async function readModel({ name, value, path }: ListedModel, { tree, check, file, at }: Reading): Promise<ReadModel> {
  const problems = check(value).map(({ path: inside, isUnknownKey, text }) =>
    isUnknownKey
      ? { ...tree.placeOfKey([...path, ...inside]), text }
      : { ...tree.placeOf([...path, ...inside]), text: `${name}: ${text}` },
  );
  if (problems.length > 0) return { problems };
  try {
    return { entry: await resolveModel(name, value as RawModel, { file, at }), problems: [] };
  } catch (error) {
    // All values are sound by now: what is left is a limit that the missing price would never let fire.
    if (!(error instanceof BudgetError)) throw error;
    const place = tree.placeOf([...path, "budgets", "max_cost_usd"]);
    return { problems: [{ ...place, text: `${name}: ${error.message}` }] };
  }
}

async function resolveModel(name: string, raw: RawModel, from: Pick<Reading, "file" | "at">): Promise<ModelEntry> {
  const { api_name: apiName = name, provider = null, base_url: baseUrl = null, pricing = null, budgets = {} } = raw;
  const query = { model: apiName, provider, baseUrl, at: from.at };
  const price = pricing === null ? await bundledPrice(query) : priceFrom(pricing, from.file);
  const resolved = resolveAtPrice(price, budgets);
  return {
    name,
    apiName,
    provider,
    baseUrl,
    apiKeyEnv: raw.api_key_env ?? null,
    agentCli: raw.agent_cli ?? null,
    agentModelName: raw.agent_model_name ?? null,
    pricing,
    budgets,
    limits: limitsOf(price, budgets, resolved),
    resolved,
    price,
    priceSource: pricing !== null ? "models.yml" : price !== null ? "bundled" : "none",
  };
}

function limitsOf(price: Price | null, budgets: Budgets, resolved: ResolvedBudgets): Limits {
  const { max_tokens: maxTokens, expected_ttft_secs: ttft, expected_ttf_solution_secs: solution } = budgets;
  return {
    price,
    maxCostUsd: resolved.maxCostUsd,
    ...(maxTokens === undefined ? {} : { maxTokens }),
    hardTimeoutMs: milliseconds(resolved.hardTimeoutSecs),
    ...(ttft === undefined ? {} : { expectedTtftMs: milliseconds(ttft) }),
    ...(solution === undefined ? {} : { expectedSolutionMs: milliseconds(solution) }),
  };
}

function milliseconds(seconds: number): number {
  return Math.ceil(seconds * 1000);
}
