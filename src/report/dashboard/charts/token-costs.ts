import type { Usage } from "../../../core/index.js";
import {
  countPromptTokens,
  type EvalRow,
  hasOutput,
  listCallUsages,
  type Price,
  selectPrices,
  selectRowPrice,
  type TokenPrices,
} from "../../../core/index.js";
import type { TokenClass, TokenCost } from "../contract.js";
import type { ChartSystem } from "./chart-system.js";

const CLASSES: readonly TokenClass[] = ["input", "cacheRead", "cacheWrite", "output", "reasoning"];

/** Costs are summed in whole pico-dollars. */
const PICO_PER_DOLLAR = 1e12;

type UsageRow = Pick<EvalRow, "usage" | "metadata">;

/** Sums tokens and costs by class, each token in one class; empty when no usage was reported. */
export function sumTokenClasses(rows: Iterable<UsageRow>, price: Price | null): TokenCost["classes"] {
  const totals = createClassTotals();
  let isReported = false;
  for (const row of rows) {
    if (row.usage == null) continue;
    isReported = true;
    addUsage(totals, row, price);
  }
  if (!isReported) return [];
  return CLASSES.map((name) => ({
    name,
    tokens: totals.tokens[name],
    costUsd: price === null ? null : totals.pico[name] / PICO_PER_DOLLAR,
  }));
}

/** The classes do not overlap. */
interface ClassTotals {
  tokens: Record<TokenClass, number>;
  pico: Record<TokenClass, number>;
}

function createClassTotals(): ClassTotals {
  const none = () => ({ input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 });
  return { tokens: none(), pico: none() };
}

/** Reported output includes reasoning; here they are separate classes. */
function addUsage(totals: ClassTotals, row: UsageRow, known: Price | null): void {
  if (row.usage === null) return;
  addTokens(totals.tokens, row.usage);
  if (known === null) return;
  const price = selectRowPrice(known, row);
  if (price.tiers === undefined) addPrices(totals.pico, row.usage, price);
  else
    for (const usage of listCallUsages(row, row.usage))
      addPrices(totals.pico, usage, selectPrices(price, countPromptTokens(usage)));
}

function addTokens(tokens: ClassTotals["tokens"], usage: Usage): void {
  const reasoning = countReasoning(usage);
  tokens.input += usage.input;
  tokens.cacheRead += usage.cacheRead ?? 0;
  tokens.cacheWrite += usage.cacheWrite ?? 0;
  tokens.output += usage.output - reasoning;
  tokens.reasoning += reasoning;
}

function addPrices(pico: ClassTotals["pico"], usage: Usage, prices: TokenPrices): void {
  const reasoning = countReasoning(usage);
  const hourly = usage.cacheWrite1h ?? 0;
  pico.input += usage.input * prices.input;
  pico.cacheRead += (usage.cacheRead ?? 0) * prices.cacheRead;
  pico.cacheWrite += ((usage.cacheWrite ?? 0) - hourly) * prices.cacheWrite + hourly * prices.cacheWrite1h;
  pico.output += (usage.output - reasoning) * prices.output;
  pico.reasoning += reasoning * prices.output;
}

function countReasoning({ reasoning = 0, output }: Usage): number {
  return Math.min(reasoning, output);
}

export function buildTokenCosts(systems: readonly ChartSystem[]): TokenCost[] {
  return systems.map((system) => ({
    system: system.name,
    classes: sumTokenClasses(system.rows, system.price),
    ...sumBilledCosts(system.rows),
  }));
}

/** Keeps what is known when a part is not: one trial without a cost must not hide the largest bill of a run. */
function sumBilledCosts(rows: readonly EvalRow[]): Pick<TokenCost, "costUsd" | "unknownCosts"> {
  let costUsd: number | null = null;
  let unknownCosts = 0;
  for (const row of rows) {
    if (row.costUsd != null) costUsd = (costUsd ?? 0) + row.costUsd;
    else if (hasOutput(row)) unknownCosts++;
  }
  return { costUsd, unknownCosts };
}
