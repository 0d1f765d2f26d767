import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Effort, Limits, Price } from "../core/index.js";
import {
  BudgetError,
  describeValue,
  didYouMean,
  getErrorMessage,
  getExampleModelName,
  parseEffort,
} from "../core/index.js";
import { type FileProblem, type KeyPath, parseYaml, type YamlTree } from "../utils/index.js";
import { explainPrice, findPrice, openPriceBook, type PriceBook, type TableOrigin } from "./bundled-prices.js";
import type { ModelCheck, RawModel } from "./model-schema.js";
import { createPrice, type Pricing } from "./price.js";
import { getPriceProvider } from "./providers.js";
import { type Budgets, type ResolvedBudgets, resolveAtPrice } from "./resolve.js";
import { addPublishedServices } from "./service-rules.js";

/** Where a model's price was found. */
export type PriceOrigin = "models.yml" | TableOrigin | "none";

/** One model of a models file, with the values derived from it. */
export interface ModelEntry {
  readonly name: string;
  /** The model name sent to the API. */
  readonly apiName: string;
  readonly provider: string | null;
  /** As in the file; see `resolveEndpoint` for the provider's default. */
  readonly baseUrl: string | null;
  /** As in the file; see `resolveEndpoint` for the provider's default. */
  readonly apiKeyEnv: string | null;
  readonly agentCli: string | null;
  readonly agentModelName: string | null;
  /** Null for the model's own. */
  readonly effort: Effort | null;
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

/** A models file with problems; the message has one line for each. */
export class ModelsFileError extends BudgetError {
  readonly problems: readonly FileProblem[];

  constructor(file: string, problems: readonly FileProblem[]) {
    const sorted = [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
    super(sorted.map(({ line, column, text }) => `${file}:${line}:${column}: ${text}`).join("\n"));
    this.problems = sorted;
  }
}

/**
 * Reads a models file. Models without pricing get the price of the lock or the table at the time `at`. Default: now.
 * @example
 * const { models } = await loadModels("models.yml");
 * models.get("gpt-6-sol")?.resolved.maxCostUsd;
 */
export async function loadModels(file: string, { at = new Date() }: { at?: Date } = {}): Promise<ModelsFile> {
  const tree = await parseYaml(readModelsText(file));
  if (tree.isBroken) throw new ModelsFileError(file, tree.problems);
  const { models: listed, defaultName, problems } = listModelsInTree(tree);
  // Most runs have no models file, so the checking code is loaded only when needed.
  const { createModelCheck } = await import("./model-schema.js");
  const reading: ModelReadContext = { file, at, tree, check: createModelCheck(), book: await openPriceBook() };
  const read = await Promise.all(listed.map((model) => readModel(model, reading)));
  const found = [...tree.problems, ...problems, ...read.flatMap((model) => model.problems)];
  if (found.length > 0) throw new ModelsFileError(file, found);
  const entries = read.flatMap(({ entry }) => (entry === undefined ? [] : [entry]));
  return { file, models: new Map(entries.map((entry) => [entry.name, entry])), default: defaultName };
}

function readModelsText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new BudgetError(`The models file ${file} cannot be read: ${getErrorMessage(cause)}.`, { cause });
  }
}

interface ModelReadContext {
  readonly file: string;
  readonly at: Date;
  readonly tree: YamlTree;
  readonly check: ModelCheck;
  readonly book: PriceBook;
}

type ReadModelResult = { readonly entry?: ModelEntry; readonly problems: readonly FileProblem[] };

async function readModel(
  { name, value, path }: ListedModel,
  { tree, check, file, at, book }: ModelReadContext,
): Promise<ReadModelResult> {
  const problems = check(value).map(({ path: inside, isUnknownKey, text }) =>
    isUnknownKey
      ? { ...tree.locateKey([...path, ...inside]), text }
      : { ...tree.locate([...path, ...inside]), text: `${name}: ${text}` },
  );
  if (problems.length > 0) return { problems };
  try {
    return { entry: await resolveModel(name, value as RawModel, { file, at, book }), problems: [] };
  } catch (error) {
    // All values are valid at this point; the only problem left is a limit that cannot take effect without a price.
    if (!(error instanceof BudgetError)) throw error;
    const place = tree.locate([...path, "budgets", "max_cost_usd"]);
    return { problems: [{ ...place, text: `${name}: ${error.message}` }] };
  }
}

async function resolveModel(
  name: string,
  raw: RawModel,
  from: Pick<ModelReadContext, "file" | "at" | "book">,
): Promise<ModelEntry> {
  const { api_name: apiName = name, provider = null, base_url: baseUrl = null, pricing = null, budgets = {} } = raw;
  const query = { model: apiName, provider, baseUrl, at: from.at };
  const seller = provider === null ? null : getPriceProvider(provider);
  const found = pricing === null ? await explainPrice(query, from.book) : null;
  const price =
    pricing === null ? (found?.price ?? null) : addPublishedServices(createPrice(pricing, from.file), seller);
  const resolved = resolveAtPrice(price, budgets);
  return {
    name,
    apiName,
    provider,
    baseUrl,
    apiKeyEnv: raw.api_key_env ?? null,
    agentCli: raw.agent_cli ?? null,
    agentModelName: raw.agent_model_name ?? null,
    effort: raw.effort === undefined ? null : parseEffort(raw.effort, "effort"),
    pricing,
    budgets,
    limits: buildModelLimits(price, budgets, resolved),
    resolved,
    price,
    priceSource: pricing !== null ? "models.yml" : (found?.origin ?? "none"),
  };
}

function buildModelLimits(price: Price | null, budgets: Budgets, resolved: ResolvedBudgets): Limits {
  const { max_tokens: maxTokens, expected_ttft_secs: ttft, expected_ttf_solution_secs: solution } = budgets;
  return {
    price,
    maxCostUsd: resolved.maxCostUsd,
    ...(maxTokens === undefined ? {} : { maxTokens }),
    hardTimeoutMs: toMilliseconds(resolved.hardTimeoutSecs),
    ...(ttft === undefined ? {} : { expectedTtftMs: toMilliseconds(ttft) }),
    ...(solution === undefined ? {} : { expectedSolutionMs: toMilliseconds(solution) }),
  };
}

function toMilliseconds(seconds: number): number {
  return Math.ceil(seconds * 1000);
}

/** Default names of the models file. */
export const MODELS_FILES = ["models.yml", "models.yaml"] as const;

/** The name of the models file in a folder; undefined when there is none. */
export function findModelsFile(dir = "."): string | undefined {
  return MODELS_FILES.find((name) => existsSync(join(dir, name)));
}

export function findConfiguredModel(model: string, file: ModelsFile | null): ModelEntry | undefined {
  const byKey = file?.models.get(model);
  return byKey ?? [...(file?.models.values() ?? [])].find(({ apiName }) => apiName === model);
}

/** Limits of a model that is not in a models file, from its bundled price. */
export async function findBundledLimits(wanted: {
  model: string;
  provider?: string;
  baseUrl?: string;
}): Promise<Limits> {
  return createPriceLimits(await findPrice(wanted));
}

/** The default limits of a trial. */
export function createPriceLimits(price: Price | null): Limits {
  const { maxCostUsd, hardTimeoutSecs } = resolveAtPrice(price, {});
  return { price, maxCostUsd, hardTimeoutMs: hardTimeoutSecs * 1000 };
}

/** A model of the file before it is checked. */
interface ListedModel {
  readonly name: string;
  readonly value: unknown;
  readonly path: KeyPath;
}

/** The top level of a models file. */
interface ModelsList {
  readonly models: readonly ListedModel[];
  readonly defaultName: string | null;
  readonly problems: readonly FileProblem[];
}

const TOP_LEVEL_KEYS = ["models", "default"];
const ADVICE = `Example: models: { ${getExampleModelName("openai")}: { provider: openai } }`;

/** The models of a file: those below `models:`, or the whole file when it contains only mappings. */
function listModelsInTree(tree: YamlTree): ModelsList {
  const { value } = tree;
  if (value === null || value === undefined) return createFailedList(tree, [], `the file is empty. ${ADVICE}`);
  if (!isPlainMapping(value))
    return createFailedList(tree, [], `the file must be a mapping of models, not ${describeValue(value)}. ${ADVICE}`);
  return hasModelsKey(value) ? listWrappedModels(tree, value) : listBareModels(tree, value, []);
}

function isPlainMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A model may be named `default`, but then it is a mapping. */
function hasModelsKey(value: Record<string, unknown>): boolean {
  return Object.hasOwn(value, "models") || (Object.hasOwn(value, "default") && !isPlainMapping(value.default));
}

function createFailedList(tree: YamlTree, path: KeyPath, text: string): ModelsList {
  return { models: [], defaultName: null, problems: [{ ...tree.locate(path), text }] };
}

function listWrappedModels(tree: YamlTree, value: Record<string, unknown>): ModelsList {
  const unknown = Object.keys(value)
    .filter((key) => !TOP_LEVEL_KEYS.includes(key))
    .map((key) => ({ ...tree.locateKey([key]), text: `unknown key "${key}".${didYouMean(key, TOP_LEVEL_KEYS)}` }));
  const { models } = value;
  const listed = isPlainMapping(models)
    ? listBareModels(tree, models, ["models"])
    : createFailedList(tree, ["models"], `${describeMissingModels(models)}. ${ADVICE}`);
  const problems = [...unknown, ...listed.problems, ...checkDefaultModel(tree, value.default, listed.models)];
  return { ...listed, defaultName: typeof value.default === "string" ? value.default : null, problems };
}

function describeMissingModels(models: unknown): string {
  if (models === undefined) return '"models:" is missing';
  if (models === null) return "there are no models";
  return `"models" must be a mapping from names to models, not ${describeValue(models)}`;
}

function listBareModels(tree: YamlTree, models: Record<string, unknown>, path: KeyPath): ModelsList {
  const names = Object.keys(models);
  if (names.length === 0) return createFailedList(tree, path, `there are no models. ${ADVICE}`);
  const unnamed = names
    .filter((name) => name.trim() === "")
    .map((name) => ({ ...tree.locateKey([...path, name]), text: "a model has an empty name. Give it one." }));
  const listed = names.map((name) => ({ name, value: models[name], path: [...path, name] }));
  return { models: listed, defaultName: null, problems: unnamed };
}

function checkDefaultModel(tree: YamlTree, value: unknown, models: readonly ListedModel[]): FileProblem[] {
  const names = models.map(({ name }) => name);
  // Without any models, that problem is reported instead.
  if (value === undefined || names.length === 0 || names.includes(value as string)) return [];
  const text =
    typeof value === "string"
      ? `default is "${value}", which is not a model in this file.${didYouMean(value, names)}`
      : `default must be the name of a model, not ${describeValue(value)}.`;
  return [{ ...tree.locate(["default"]), text }];
}
