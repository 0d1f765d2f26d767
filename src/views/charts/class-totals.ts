import type { Price, TokenPrices } from "../../core/price.js";
import type { EvalRow } from "../../core/row.js";
import type { Usage } from "../../core/system.js";
import type { TokenClass } from "../contract.js";

/** Tokens and pico-dollars by class; the classes have no token in common. */
export interface ClassTotals {
  tokens: Record<TokenClass, number>;
  pico: Record<TokenClass, number>;
}

export function noTotals(): ClassTotals {
  const none = () => ({ input: 0, cacheRead: 0, cacheWrite: 0, output: 0, reasoning: 0 });
  return { tokens: none(), pico: none() };
}

/** Adds what one trial used. Reasoning is a part of the output as it is reported; here it stands apart. */
export function addUsage(totals: ClassTotals, row: EvalRow, price: Price | null): void {
  if (row.usage === null) return;
  addTokens(totals.tokens, row.usage);
  if (price === null) return;
  if (price.tiers === undefined) addPrices(totals.pico, row.usage, price);
  else for (const usage of callsOf(row, row.usage)) addPrices(totals.pico, usage, pricesAt(price, usage));
}

function addTokens(tokens: ClassTotals["tokens"], usage: Usage): void {
  const reasoning = reasoningIn(usage);
  tokens.input += usage.input;
  tokens.cacheRead += usage.cacheRead ?? 0;
  tokens.cacheWrite += usage.cacheWrite ?? 0;
  tokens.output += usage.output - reasoning;
  tokens.reasoning += reasoning;
}

function addPrices(pico: ClassTotals["pico"], usage: Usage, prices: TokenPrices): void {
  const reasoning = reasoningIn(usage);
  const hourly = usage.cacheWrite1h ?? 0;
  pico.input += usage.input * prices.input;
  pico.cacheRead += (usage.cacheRead ?? 0) * prices.cacheRead;
  pico.cacheWrite += ((usage.cacheWrite ?? 0) - hourly) * prices.cacheWrite + hourly * prices.cacheWrite1h;
  pico.output += (usage.output - reasoning) * prices.output;
  pico.reasoning += reasoning * prices.output;
}

function reasoningIn({ reasoning = 0, output }: Usage): number {
  return Math.min(reasoning, output);
}

function pricesAt(price: Price, { input, cacheRead = 0, cacheWrite = 0 }: Usage): TokenPrices {
  const prompt = input + cacheRead + cacheWrite;
  return price.tiers?.findLast(({ over }) => prompt > over) ?? price;
}

/** Usage by call where it is known for all of them: a price may depend on the length of each prompt. */
function callsOf({ metadata }: EvalRow, total: Usage): readonly Usage[] {
  const turns = metadata?.turnUsage;
  if (!Array.isArray(turns)) return [total];
  const known = turns.filter((usage): usage is Usage => usage !== null);
  const isWhole = (["input", "output"] as const).every(
    (name) => known.reduce((sum, usage) => sum + usage[name], 0) === total[name],
  );
  return isWhole ? known : [total];
}
