import { binomialCdf } from "./binomial.js";
import { requireInteger } from "./domain.js";

/**
 * The exact two-sided McNemar p-value from the two discordant counts: A passed where B failed, and the reverse.
 * @example
 * mcnemarExact(1, 6); // 0.125
 */
export function mcnemarExact(b: number, c: number): number {
  requireInteger("b", b, { low: 0 });
  requireInteger("c", c, { low: 0 });
  return Math.min(1, 2 * binomialCdf(Math.min(b, c), b + c, 0.5));
}

/**
 * The exact chance of at least this many wins if wins and losses were equally likely; ties are left out by the caller.
 * @example
 * signTestOneSided(4, 0); // 0.0625
 */
export function signTestOneSided(wins: number, losses: number): number {
  requireInteger("wins", wins, { low: 0 });
  requireInteger("losses", losses, { low: 0 });
  return binomialCdf(losses, wins + losses, 0.5);
}
