import { relative, resolve } from "node:path";
import {
  type Endpoint,
  explainMissingUrl,
  findModelsFile,
  isKnownProvider,
  listMissingVariables,
  loadModels,
  MODELS_FILES,
  type ModelEntry,
  type ModelsFile,
  ModelsFileError,
  resolveEndpoint,
} from "../budget/index.js";
import type { TokenPrices } from "../core/index.js";
import { EXIT, getExampleModelName, UsageError } from "../core/index.js";
import { explainUnsupportedEffort } from "../models/index.js";
import { formatSeconds, replaceControlCharacters, type TableColumn } from "../report/index.js";
import { findEndingModels, identifyEntry } from "./model-ends.js";
import { formatPricesPerMillion, toUsdPerMillion } from "./model-prices.js";
import { createScreenLayout } from "./screen.js";
import { printNote, writeResult } from "./streams.js";

export interface ModelsFlags {
  file?: string;
  /** Only report problems in the file. */
  check?: boolean;
  /** `table` or `json`. */
  output?: string;
}

interface ModelsContext {
  readonly dir?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly now?: Date;
}

/** A model, its endpoint, and whether its key is set. */
interface ModelLine {
  readonly model: ModelEntry;
  readonly endpoint: Endpoint;
  readonly isKeySet: boolean;
  /** The variables of its key that are not set. */
  readonly missing: readonly string[];
}

const OUTPUTS = ["table", "json"];

/** `assay models`: every model of a models file with each resolved value and the rule that set it. */
export async function executeModels(
  { file, check = false, output = "table" }: ModelsFlags,
  { dir = process.cwd(), env = process.env, now = new Date() }: ModelsContext = {},
): Promise<number> {
  if (!OUTPUTS.includes(output))
    throw new UsageError(`Unknown output format "${output}". Use --output table or --output json.`);
  if (check) return checkModelsFile(file, { output, env, dir, now });
  const path = file ?? requireModelsFile(dir);
  const models = await loadModels(path);
  const lines = listModelLines(models, env);
  await writeResult(output === "json" ? describeModelsJson(models, lines) : formatModelsTable(models, lines));
  return EXIT.fine;
}

function findModelsPath(dir: string): string | undefined {
  const found = findModelsFile(dir);
  return found === undefined ? undefined : relative(process.cwd(), resolve(dir, found));
}

function requireModelsFile(dir: string): string {
  const found = findModelsPath(dir);
  if (found !== undefined) return found;
  throw new UsageError(
    `There is no ${MODELS_FILES.join(" or ")} here. Name one (assay models FILE), or create a ${MODELS_FILES[0]} such as:\n\n${EXAMPLE}`,
  );
}

const EXAMPLE = `models:
  ${getExampleModelName("openai")}:
    provider: openai
  my-model:
    base_url: http://127.0.0.1:8080/v1
    pricing:
      input_per_1k: 0.0003
      output_per_1k: 0.0012
    budgets:
      max_cost_usd: 0.30
default: ${getExampleModelName("openai")}`;

/** Problems of the models file, and warnings of it and of models that end, here and in the config and eval files. */
async function checkModelsFile(
  file: string | undefined,
  { output, env, dir, now }: { output: string } & Required<ModelsContext>,
): Promise<number> {
  const path = file ?? findModelsPath(dir);
  const problems: string[] = [];
  const warnings: string[] = [];
  try {
    if (path !== undefined)
      warnings.push(
        ...listModelWarnings(listModelLines(await loadModels(path), env)).map((warning) => `${path}: ${warning}`),
      );
  } catch (error) {
    if (!(error instanceof ModelsFileError)) throw error;
    problems.push(...error.message.split("\n"));
  }
  for (const { place, model, text } of await findEndingModels({ dir, now, modelsFile: path }))
    warnings.push(`${place}: ${model} ${text}.`);
  for (const warning of warnings) printNote(warning);
  const text = problems.map((problem) => `${problem}\n`).join("");
  await writeResult(
    output === "json"
      ? formatModelsJson({ schema: "assay.models-check/1", problems, warnings })
      : replaceControlCharacters(text),
  );
  return problems.length === 0 ? EXIT.fine : EXIT.usage;
}

function formatModelsJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function listModelLines({ models }: ModelsFile, env: NonNullable<ModelsContext["env"]>): ModelLine[] {
  return [...models.values()].map((model) => {
    const endpoint = resolveEndpoint(model, env);
    const missing = listMissingVariables(endpoint.keyVariable, env);
    return { model, endpoint, missing, isKeySet: endpoint.keyVariable !== null && missing.length === 0 };
  });
}

/** Reasons why a model cannot be called here although the file is valid. */
function listModelWarnings(lines: readonly ModelLine[]): string[] {
  return lines.flatMap(({ model, endpoint, missing }) => {
    const warnings = missing.map(
      (variable) => `${model.name}: the variable ${variable} is not set. Set it to the key before a run.`,
    );
    const effort = model.effort === null ? null : explainUnsupportedEffort(model.effort, identifyEntry(model));
    if (effort !== null) warnings.push(`${model.name}: ${effort}`);
    if (endpoint.baseUrl === null && model.agentCli === null)
      warnings.push(
        isKnownProvider(model.provider)
          ? `${model.name}: no address is known: ${explainMissingUrl(model.provider)}.`
          : `${model.name}: no address is known. Add a base_url or a known provider.`,
      );
    return warnings;
  });
}

const COLUMNS: readonly TableColumn<ModelLine>[] = [
  { title: "model", cell: ({ model }) => model.name },
  { title: "API name", cell: ({ model }) => model.apiName },
  { title: "provider", cell: ({ model }) => model.provider ?? "–" },
  { title: "agent", cell: ({ model }) => [model.agentCli ?? "–", model.agentModelName ?? ""].join(" ").trim() },
  { title: "effort", cell: ({ model }) => String(model.effort ?? "–") },
  { title: "base URL", cell: ({ endpoint }) => redactUrl(endpoint.baseUrl) ?? "–" },
  { title: "key variable", cell: formatKeyCell },
  { title: "input/M", align: "right", cell: createPriceCell("input") },
  { title: "output/M", align: "right", cell: createPriceCell("output") },
  { title: "cache read/M", align: "right", cell: createPriceCell("cacheRead") },
  { title: "cache write/M", align: "right", cell: createPriceCell("cacheWrite") },
  { title: "1 h cache write/M", align: "right", cell: createPriceCell("cacheWrite1h") },
  { title: "price source", cell: ({ model }) => model.price?.source ?? "unknown" },
  { title: "max cost", align: "right", cell: ({ model }) => formatMaxCost(model) },
  { title: "max tokens", align: "right", cell: ({ model }) => String(model.limits.maxTokens ?? "–") },
  {
    title: "expected first token",
    align: "right",
    cell: ({ model }) => formatExpectedTime(model.limits.expectedTtftMs),
  },
  {
    title: "expected solution",
    align: "right",
    cell: ({ model }) => formatExpectedTime(model.limits.expectedSolutionMs),
  },
  { title: "hard timeout", align: "right", cell: ({ model }) => formatSeconds(model.resolved.hardTimeoutSecs) },
  { title: "rule", cell: ({ model }) => model.resolved.rule },
];

function formatExpectedTime(ms: number | undefined): string {
  return ms === undefined ? "–" : formatSeconds(ms / 1000);
}

function formatModelsTable(models: ModelsFile, lines: readonly ModelLine[]): string {
  const facts = [
    `${models.file} · default: ${models.default ?? "none"}`,
    'Prices are in dollars per million tokens. Max cost is per trial; the column "rule" shows where it comes from.',
  ];
  const layout = createScreenLayout();
  const hasEffort = lines.some(({ model }) => model.effort !== null);
  const columns = COLUMNS.filter(({ title }) => hasEffort || title !== "effort");
  return `${layout.table(columns, lines)}\n\n${layout.bullets(facts)}\n`;
}

/** Anything after the path may be a secret. */
function redactUrl(url: string | null): string | null {
  return url === null ? null : url.replace(/[?#].*$/s, "?…");
}

function formatKeyCell({ endpoint: { keyVariable }, isKeySet }: ModelLine): string {
  return keyVariable === null ? "–" : `${keyVariable} (${isKeySet ? "set" : "not set"})`;
}

function createPriceCell(key: keyof TokenPrices): TableColumn<ModelLine>["cell"] {
  return ({ model: { price } }) => {
    if (price === null) return "–";
    const tiers = (price.tiers ?? []).map((tier) => `, $${toUsdPerMillion(tier[key])} over ${tier.over}`);
    return `$${toUsdPerMillion(price[key])}${tiers.join("")}`;
  };
}

/** To a tenth of a cent where that is enough. */
function formatMaxCost({ resolved: { maxCostUsd, enforced } }: ModelEntry): string {
  if (maxCostUsd === null || !enforced) return "no limit";
  return `$${maxCostUsd >= 0.001 ? maxCostUsd.toFixed(3) : maxCostUsd.toPrecision(2)}`;
}

function describeModelsJson(models: ModelsFile, lines: readonly ModelLine[]): string {
  return formatModelsJson({
    schema: "assay.models/1",
    file: models.file,
    default: models.default,
    models: lines.map(({ model, endpoint, isKeySet }) => ({
      name: model.name,
      apiName: model.apiName,
      provider: model.provider,
      dialect: endpoint.dialect,
      baseUrl: redactUrl(endpoint.baseUrl),
      keyVariable: endpoint.keyVariable,
      isKeySet,
      agentCli: model.agentCli,
      agentModelName: model.agentModelName,
      effort: model.effort,
      pricesPerMillion: model.price === null ? null : formatPricesPerMillion(model.price),
      priceSource: model.priceSource,
      priceFrom: model.price?.source ?? null,
      ...model.resolved,
      maxTokens: model.limits.maxTokens ?? null,
      expectedTtftMs: model.limits.expectedTtftMs ?? null,
      expectedSolutionMs: model.limits.expectedSolutionMs ?? null,
    })),
  });
}
