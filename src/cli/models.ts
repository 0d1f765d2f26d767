import { relative, resolve } from "node:path";
import {
  type Endpoint,
  findModelsFile,
  loadModels,
  MODELS_FILES,
  type ModelEntry,
  type ModelsFile,
  ModelsFileError,
  resolveEndpoint,
} from "../budget/index.js";
import type { Price, TokenPrices } from "../core/index.js";
import { EXIT, UsageError } from "../core/index.js";
import { formatSeconds, replaceControlCharacters, type TableColumn } from "../report/index.js";
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
}

/** A model, its endpoint, and whether its key is set. */
interface ModelLine {
  readonly model: ModelEntry;
  readonly endpoint: Endpoint;
  readonly isKeySet: boolean;
}

const OUTPUTS = ["table", "json"];
const PICO_PER_MTOK = 1e6;

/** `assay models`: every model of a models file with each resolved value and the rule that set it. */
export async function executeModels(
  { file, check = false, output = "table" }: ModelsFlags,
  { dir = process.cwd(), env = process.env }: ModelsContext = {},
): Promise<number> {
  if (!OUTPUTS.includes(output))
    throw new UsageError(`Unknown output format "${output}". Use --output table or --output json.`);
  const path = file ?? requireModelsFile(dir);
  if (check) return checkModelsFile(path, { output, env });
  const models = await loadModels(path);
  const lines = listModelLines(models, env);
  await writeResult(output === "json" ? describeModelsJson(models, lines) : formatModelsTable(models, lines));
  return EXIT.fine;
}

function requireModelsFile(dir: string): string {
  const found = findModelsFile(dir);
  if (found !== undefined) return relative(process.cwd(), resolve(dir, found));
  throw new UsageError(
    `There is no ${MODELS_FILES.join(" or ")} here. Name one (assay models FILE), or create a ${MODELS_FILES[0]} such as:\n\n${EXAMPLE}`,
  );
}

const EXAMPLE = `models:
  gpt-5:
    provider: openai
  my-model:
    base_url: http://127.0.0.1:8080/v1
    pricing:
      input_per_1k: 0.0003
      output_per_1k: 0.0012
    budgets:
      max_cost_usd: 0.30
default: gpt-5`;

async function checkModelsFile(
  path: string,
  { output, env }: { output: string } & Required<Pick<ModelsContext, "env">>,
) {
  const problems: string[] = [];
  try {
    for (const warning of listModelWarnings(listModelLines(await loadModels(path), env)))
      printNote(`${path}: ${warning}`);
  } catch (error) {
    if (!(error instanceof ModelsFileError)) throw error;
    problems.push(...error.message.split("\n"));
  }
  const text = problems.map((problem) => `${problem}\n`).join("");
  await writeResult(
    output === "json" ? formatModelsJson({ schema: "assay.models-check/1", problems }) : replaceControlCharacters(text),
  );
  return problems.length === 0 ? EXIT.fine : EXIT.usage;
}

function formatModelsJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function listModelLines({ models }: ModelsFile, env: NonNullable<ModelsContext["env"]>): ModelLine[] {
  return [...models.values()].map((model) => {
    const endpoint = resolveEndpoint(model);
    return { model, endpoint, isKeySet: endpoint.keyVariable !== null && (env[endpoint.keyVariable] ?? "") !== "" };
  });
}

/** Reasons why a model cannot be called here although the file is valid. */
function listModelWarnings(lines: readonly ModelLine[]): string[] {
  return lines.flatMap(({ model, endpoint, isKeySet }) => {
    const warnings: string[] = [];
    if (endpoint.keyVariable !== null && !isKeySet)
      warnings.push(`${model.name}: the variable ${endpoint.keyVariable} is not set. Set it to the key before a run.`);
    if (endpoint.baseUrl === null && model.agentCli === null)
      warnings.push(`${model.name}: no address is known. Add a base_url or a known provider.`);
    return warnings;
  });
}

const COLUMNS: readonly TableColumn<ModelLine>[] = [
  { title: "model", cell: ({ model }) => model.name },
  { title: "API name", cell: ({ model }) => model.apiName },
  { title: "provider", cell: ({ model }) => model.provider ?? "–" },
  { title: "agent", cell: ({ model }) => [model.agentCli ?? "–", model.agentModelName ?? ""].join(" ").trim() },
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
  return `${layout.table(COLUMNS, lines)}\n\n${layout.bullets(facts)}\n`;
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

function toUsdPerMillion(pico: number): number {
  return pico / PICO_PER_MTOK;
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
      pricesPerMillion: model.price === null ? null : listPricesPerMillion(model.price),
      priceSource: model.priceSource,
      priceFrom: model.price?.source ?? null,
      ...model.resolved,
      maxTokens: model.limits.maxTokens ?? null,
      expectedTtftMs: model.limits.expectedTtftMs ?? null,
      expectedSolutionMs: model.limits.expectedSolutionMs ?? null,
    })),
  });
}

function listPricesPerMillion(price: Price): Record<string, unknown> {
  const each = (prices: TokenPrices) => ({
    input: toUsdPerMillion(prices.input),
    output: toUsdPerMillion(prices.output),
    cacheRead: toUsdPerMillion(prices.cacheRead),
    cacheWrite: toUsdPerMillion(prices.cacheWrite),
    cacheWrite1h: toUsdPerMillion(prices.cacheWrite1h),
  });
  const tiers = (price.tiers ?? []).map((tier) => ({ over: tier.over, ...each(tier) }));
  return { ...each(price), ...(tiers.length === 0 ? {} : { tiers }) };
}
