import type { RecordedExchange } from "./cassette.js";
import type { NormalRequest } from "./normalize-request.js";
import { readCassette } from "./read-cassette.js";

/** An exchange and its position among those that are searched. */
export interface NumberedExchange {
  readonly exchange: RecordedExchange;
  readonly at: number;
}

/** Reads the exchanges of one or several cassettes. */
export function readExchanges(paths: readonly string[]): NumberedExchange[] {
  return paths.flatMap(readCassette).map((exchange, at) => ({ exchange, at }));
}

/** Takes the first unused exchange of an equal request, else of one that differs in volatile fields only. */
export function takeAlike(
  known: readonly NumberedExchange[],
  used: Set<number>,
  { hash, exact }: NormalRequest,
): NumberedExchange | null {
  const alike = known.filter(({ exchange, at }) => exchange.hash === hash && !used.has(at));
  const found = alike.find(({ exchange }) => exchange.exact === exact) ?? alike[0] ?? null;
  if (found !== null) used.add(found.at);
  return found;
}
