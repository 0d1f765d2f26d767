import type { CardFigure, RunPicks, SystemPick } from "../../../../src/report/dashboard/contract.js";
import { formatCount, formatDollars, formatNumber } from "../../ui/index.js";
import type { LeaderboardEntry } from "../run-groups.js";

/**
 * Which system to pick from lines of several runs. Trials of different runs cannot be paired, so intervals decide what is
 * "not significantly worse", and the reason says so.
 */
export function pickFromCards(entries: readonly LeaderboardEntry[]): RunPicks {
  const good = entries.filter(({ doubt }) => doubt === null);
  if (good.length === 0)
    return { withheld: "too few of the planned trials of every system were scored", picks: [], notes: [] };
  const best = findBest(good, "mean_score", "high");
  const picks = [
    best &&
      describePick(best, "quality", {
        figure: "mean_score",
        label: "mean score",
        unit: "score",
        reason: `Highest mean score of ${good.length} systems; lines are from different runs, so compare two of them for a paired test.`,
      }),
    best && pickCheapest(good, best),
    describeFastest(good),
    describeMostReliable(good),
  ];
  const left = entries.length - good.length;
  const notes = left === 0 ? [] : [`${left} with too few scored trials ${left === 1 ? "is" : "are"} left out`];
  return { withheld: null, picks: picks.filter((pick) => pick !== null), notes };
}

function findBest(
  entries: readonly LeaderboardEntry[],
  figure: CardFigure,
  better: "high" | "low",
): LeaderboardEntry | null {
  const known = entries.filter(({ card }) => card.figures[figure] !== null);
  const sign = better === "high" ? -1 : 1;
  const value = ({ card }: LeaderboardEntry) => card.figures[figure] ?? 0;
  return known.toSorted((a, b) => sign * (value(a) - value(b)))[0] ?? null;
}

interface PickedFigure extends Pick<SystemPick, "label" | "unit" | "reason"> {
  figure: CardFigure;
}

function describePick(
  { name, card: { figures } }: LeaderboardEntry,
  role: SystemPick["role"],
  { figure, ...words }: PickedFigure,
): SystemPick | null {
  const value = figures[figure];
  if (value === null) return null;
  const bounds = Object.entries(figures);
  const bound = (end: string) => bounds.find(([key]) => key === `${figure}_ci_${end}`)?.[1] ?? null;
  return { role, system: name, value, low: bound("low"), high: bound("high"), ...words };
}

/** Among the lines whose interval of the mean score reaches that of the best; by tokens where no price is known. */
function pickCheapest(good: readonly LeaderboardEntry[], best: LeaderboardEntry): SystemPick | null {
  const limit = best.card.figures.mean_score_ci_low ?? best.card.figures.mean_score ?? 0;
  const close = good.filter(({ card }) => (card.figures.mean_score_ci_high ?? card.figures.mean_score ?? -1) >= limit);
  const isPriced = good.some(({ card }) => card.figures.cost_per_pass_usd !== null);
  const figure = isPriced ? "cost_per_pass_usd" : "cost_of_pass";
  const cheapest = findBest(close, figure, "low");
  if (cheapest === null) return null;
  const bestCost = best.card.figures[figure];
  const format = isPriced ? formatDollars : (tokens: number) => `${formatCount(Math.round(tokens))} tokens`;
  const than = bestCost === null || cheapest === best ? "" : ` (${format(bestCost)})`;
  const reason =
    cheapest === best
      ? "The best quality is also the cheapest whose interval reaches it."
      : `Cheapest whose interval overlaps that of ${best.name}${than}.`;
  return describePick(cheapest, "cost", {
    figure,
    label: isPriced ? "per pass" : "output tokens per pass",
    unit: isPriced ? "usd" : "tokens",
    reason,
  });
}

function describeFastest(good: readonly LeaderboardEntry[]): SystemPick | null {
  const fastest = findBest(good, "latency_median", "low");
  return (
    fastest &&
    describePick(fastest, "speed", {
      figure: "latency_median",
      label: "median latency",
      unit: "seconds",
      reason: `Lowest median latency of ${good.length} systems.`,
    })
  );
}

function describeMostReliable(good: readonly LeaderboardEntry[]): SystemPick | null {
  const k = Math.min(...good.map(({ card }) => card.k));
  const figure = k > 1 && good.every(({ card }) => card.k === k) ? "pass_hat" : "coverage";
  const best = findBest(good, figure, "high");
  if (best === null) return null;
  const errors = best.card.figures.error_rate ?? 0;
  const failures =
    errors === 0
      ? "no trial ended with an error"
      : `${formatNumber(errors * 100, 1)} % of its trials ended with an error`;
  return figure === "pass_hat"
    ? describePick(best, "reliability", {
        figure,
        label: `pass^${k}`,
        unit: "score",
        reason: `Most likely to pass all ${k} trials of an example; ${failures}.`,
      })
    : describePick(best, "reliability", {
        figure,
        label: "coverage",
        unit: "share",
        reason: `Largest share of trials that were scored: ${failures}.`,
      });
}
