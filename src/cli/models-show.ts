import {
  type Endpoint,
  explainMissingUrl,
  explainPrice,
  explainUnknownModel,
  findConfiguredModel,
  findModelsFile,
  isKnownProvider,
  listMissingVariables,
  loadModels,
  type ModelEntry,
  resolveEndpoint,
} from "../budget/index.js";
import type { Price } from "../core/index.js";
import { describePriceMatch, EXAMPLE_MODELS, EXIT, UsageError } from "../core/index.js";
import {
  describeEfforts,
  describeModelEnd,
  findCapabilities,
  findSimilarModel,
  type ModelCapabilities,
} from "../models/index.js";
import type { TableColumn } from "../report/index.js";
import { formatPricesPerMillion, listPriceLines, type PriceLine } from "./model-prices.js";
import { createScreenLayout } from "./screen.js";
import { writeResult } from "./streams.js";

export interface ModelsShowFlags {
  /** The models file. */
  models?: string;
  /** `table` or `json`. */
  output?: string;
}

interface ModelsShowContext {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly now?: Date;
}

/** A model, and all that is known about it. */
interface ShownModel {
  readonly name: string;
  readonly model: string;
  readonly provider: string | null;
  readonly endpoint: Endpoint;
  readonly isKeySet: boolean;
  readonly effort: ModelEntry["effort"];
  readonly capabilities: ModelCapabilities | null;
  /** A known model that may be meant, if nothing is known about this one. */
  readonly similar: string | null;
  readonly price: Price | null;
  /** Prices of the table that no cost contains, such as those of audio. */
  readonly unbilled: readonly string[];
  /** How the price was found, as the end of a sentence. */
  readonly priceFound: string;
}

const OUTPUTS = ["table", "json"];

/** `assay models show NAME`: what is known about one model: endpoint, key, capabilities, price and how it was found. */
export async function executeModelsShow(
  name: string,
  { models, output = "table" }: ModelsShowFlags,
  { env = process.env, now = new Date() }: ModelsShowContext = {},
): Promise<number> {
  if (!OUTPUTS.includes(output))
    throw new UsageError(`Unknown output format "${output}". Use --output table or --output json.`);
  const shown = await lookUpModel(name, models, env);
  await writeResult(output === "json" ? formatShownJson(shown) : formatShownTable(shown, now));
  return EXIT.fine;
}

async function lookUpModel(
  name: string,
  modelsFile: string | undefined,
  env: NonNullable<ModelsShowContext["env"]>,
): Promise<ShownModel> {
  const path = modelsFile ?? findModelsFile();
  const file = path === undefined ? null : await loadModels(path);
  const entry = findConfiguredModel(name, file);
  const slash = name.indexOf("/");
  const provider = entry === undefined ? name.slice(0, Math.max(0, slash)) : entry.provider;
  const model = entry?.apiName ?? name.slice(slash + 1);
  if (model === "" || (entry === undefined && !isKnownProvider(provider)))
    throw new UsageError(
      explainUnknownModel(
        name,
        file,
        `Write PROVIDER/MODEL, such as ${EXAMPLE_MODELS.openai}, or a name of models.yml.`,
      ),
    );
  const endpoint = resolveEndpoint(entry ?? { provider, baseUrl: null, apiKeyEnv: null }, env);
  const found = entry?.pricing == null ? await explainPrice({ model, provider, baseUrl: endpoint.baseUrl }) : null;
  return {
    name,
    model,
    provider,
    endpoint,
    isKeySet: endpoint.keyVariable !== null && listMissingVariables(endpoint.keyVariable, env).length === 0,
    effort: entry?.effort ?? null,
    capabilities: findCapabilities({ model, provider: provider ?? (entry?.baseUrl == null ? null : "unknown") }),
    similar: found === null && entry?.pricing == null ? findSimilarModel({ model, provider }) : null,
    price: entry?.price ?? found?.price ?? null,
    unbilled: listUnbilledPrices(found?.prices ?? {}),
    priceFound: entry?.pricing != null ? `given in ${file?.file ?? "models.yml"}` : describeFound(found),
  };
}

function describeFound(found: Awaited<ReturnType<typeof explainPrice>>): string {
  if (found === null) return "unknown: no table has it";
  const since = found.since === null ? "" : `, valid since ${found.since}`;
  // The other sources have their date in their name.
  const day = found.origin === "bundled" ? ` of ${found.date}` : "";
  return `${found.seller}/${found.model} by ${describePriceMatch(found.by)} in ${found.price.source}${day}${since}`;
}

const BILLED = /^(?:input|output|cache_read|cache_write|cache_write_5m|cache_write_1h)_mtok$/;
const UNITS: readonly (readonly [RegExp, string])[] = [
  [/_mtok$/, "per million tokens"],
  [/_kcount$/, "per thousand"],
  [/_kpages$/, "per thousand pages"],
];

/** `input audio $1 per million tokens`. */
function listUnbilledPrices(prices: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(prices).flatMap(([key, price]) => {
    if (BILLED.test(key) || typeof price !== "number") return [];
    const [end, unit] = UNITS.find(([pattern]) => pattern.test(key)) ?? [/$/, ""];
    return [`${key.replace(end, "").replaceAll("_", " ")} $${price} ${unit}`.trimEnd()];
  });
}

interface ShownFact {
  readonly what: string;
  readonly value: string;
}

function formatShownTable(shown: ShownModel, now: Date): string {
  const layout = createScreenLayout();
  const columns = [
    { title: "what", cell: ({ what }: ShownFact) => what },
    { title: "value", cell: ({ value }: ShownFact) => value },
  ];
  const facts = layout.table(columns, listShownFacts(shown, now));
  const prices = shown.price === null ? [] : [layout.table(PRICE_COLUMNS, listPriceLines(shown.price))];
  return `${[layout.heading(shown.name), facts, ...prices].join("\n\n")}\n`;
}

const PRICE_COLUMNS: readonly TableColumn<PriceLine>[] = [
  { title: "$ per million tokens", cell: formatPriceName },
  { title: "input", align: "right", cell: ({ prices }) => String(prices.input) },
  { title: "output", align: "right", cell: ({ prices }) => String(prices.output) },
  { title: "cache read", align: "right", cell: ({ prices }) => String(prices.cacheRead) },
  { title: "cache write", align: "right", cell: ({ prices }) => String(prices.cacheWrite) },
  { title: "1 h cache write", align: "right", cell: ({ prices }) => String(prices.cacheWrite1h) },
];

function formatPriceName({ service, over }: PriceLine): string {
  return over === 0 ? service : `${service}, prompts over ${formatTokens(over)}`;
}

function listShownFacts(shown: ShownModel, now: Date): ShownFact[] {
  const { model, provider, endpoint, isKeySet, effort } = shown;
  const facts: [string, string][] = [
    ["model", model],
    ["provider", provider ?? "–"],
    ["base URL", endpoint.baseUrl?.replace(/[?#].*$/s, "?…") ?? `not known: ${explainMissingUrl(provider)}`],
    ["API format", endpoint.dialect],
    ["key variable", endpoint.keyVariable === null ? "–" : `${endpoint.keyVariable} (${isKeySet ? "set" : "not set"})`],
    ...(effort === null ? [] : [["effort", String(effort)] satisfies [string, string]]),
    ...listCapabilityFacts(shown.capabilities, now),
    ...(shown.similar === null ? [] : [["did you mean", shown.similar] satisfies [string, string]]),
    ["price", shown.priceFound],
    ...(shown.unbilled.length === 0 ? [] : [["not billed", shown.unbilled.join(", ")] satisfies [string, string]]),
  ];
  return facts.map(([what, value]) => ({ what, value }));
}

function listCapabilityFacts(known: ModelCapabilities | null, now: Date): [string, string][] {
  if (known === null) return [["capabilities", "unknown: nothing is assumed"]];
  const { contextTokens, maxOutputTokens, structuredOutput, effort, images, files, refused, ends } = known;
  return [
    ["context", formatTokens(contextTokens)],
    ["longest output", formatTokens(maxOutputTokens)],
    ["structured output", formatKnown(structuredOutput)],
    ["efforts", effort === null ? "unknown" : describeEfforts(effort) || "none can be set"],
    ["images", formatKnown(images)],
    ["files", formatKnown(files)],
    ["rejects", refused.join(", ") || "nothing known"],
    ["end", ends === null ? "none known" : (describeModelEnd(ends, now) ?? `ends on ${ends.date}`)],
    ["capabilities from", `${known.source}; compiled ${known.asOf}, family ${known.family}`],
  ];
}

function formatTokens(tokens: number | null): string {
  return tokens === null ? "unknown" : `${tokens.toLocaleString("en-US")} tokens`;
}

function formatKnown(value: boolean | null): string {
  if (value === null) return "unknown";
  return value ? "yes" : "no";
}

function formatShownJson({ endpoint, price, ...shown }: ShownModel): string {
  const { baseUrl, keyVariable, dialect } = endpoint;
  const value = {
    schema: "assay.model/1",
    ...shown,
    baseUrl: baseUrl?.replace(/[?#].*$/s, "?…") ?? null,
    keyVariable,
    dialect,
    pricesPerMillion: price === null ? null : formatPricesPerMillion(price),
  };
  return `${JSON.stringify(value, null, 2)}\n`;
}
