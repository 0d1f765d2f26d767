import type { CardFigure, SystemCard } from "../../../../src/report/dashboard/contract.js";
import {
  buildAddress,
  formatDay,
  formatDollars,
  formatGrowth,
  formatMilliseconds,
  formatPlural,
  formatStep,
} from "../../ui/index.js";
import {
  buildRowsAddress,
  type FigureScope,
  formatDatasetNames,
  type LeaderboardData,
  type LeaderboardEntry,
} from "../run-groups.js";

interface ComparedMeasure {
  figure: CardFigure;
  words: string;
  isBestHigh: boolean;
  low?: CardFigure;
  high?: CardFigure;
  step: (before: number, after: number) => string;
}

/** Figures that are compared with the previous run, quality first. */
const COMPARED_MEASURES: readonly ComparedMeasure[] = [
  createRateMeasure("pass_rate", "pass rate", ["pass_rate_ci_low", "pass_rate_ci_high"]),
  createRateMeasure("mean_score", "quality", ["mean_score_ci_low", "mean_score_ci_high"]),
  {
    figure: "cost_per_pass_usd",
    words: "cost per pass",
    isBestHigh: false,
    low: "cost_per_pass_usd_ci_low",
    high: "cost_per_pass_usd_ci_high",
    step: createStepFormat(formatDollars),
  },
  {
    figure: "median_time_to_success_ms",
    words: "time to success",
    isBestHigh: false,
    step: createStepFormat(formatMilliseconds),
  },
];

function createRateMeasure(
  figure: CardFigure,
  words: string,
  [low, high]: readonly [CardFigure, CardFigure],
): ComparedMeasure {
  return { figure, words, isBestHigh: true, low, high, step: formatStep };
}

function createStepFormat(format: (value: number) => string): ComparedMeasure["step"] {
  return (before, after) =>
    before === after ? format(after) : `${format(before)} → ${format(after)} (${formatGrowth(before, after)})`;
}

interface FigureChange {
  figure: CardFigure;
  words: string;
  before: number;
  after: number;
  direction: "up" | "down" | "same";
  /** Null when unchanged. */
  isBetter: boolean | null;
  /** Whether the intervals overlap; `unknown` when one is not known. */
  certainty: "apart" | "overlap" | "unknown";
  /** Such as `0.61 → 0.74`. */
  step: string;
}

export function listFigureChanges(before: SystemCard, after: SystemCard): FigureChange[] {
  return COMPARED_MEASURES.flatMap((measure) => compareFigure(measure, before, after) ?? []);
}

function compareFigure(measure: ComparedMeasure, before: SystemCard, after: SystemCard): FigureChange | null {
  const { figure, words, isBestHigh, step } = measure;
  const [was, is] = [before.figures[figure], after.figures[figure]];
  if (was === null || is === null) return null;
  const direction = is > was ? "up" : is < was ? "down" : "same";
  return {
    figure,
    words,
    before: was,
    after: is,
    direction,
    isBetter: direction === "same" ? null : (direction === "up") === isBestHigh,
    certainty: compareIntervals(getInterval(measure, before), getInterval(measure, after)),
    step: step(was, is),
  };
}

interface FigureInterval {
  low: number;
  high: number;
}

function getInterval({ low, high }: ComparedMeasure, { figures }: SystemCard): FigureInterval | null {
  const from = low === undefined ? null : figures[low];
  const to = high === undefined ? null : figures[high];
  return from === null || to === null ? null : { low: from, high: to };
}

function compareIntervals(before: FigureInterval | null, after: FigureInterval | null): FigureChange["certainty"] {
  if (before === null || after === null) return "unknown";
  return after.low > before.high || after.high < before.low ? "apart" : "overlap";
}

/** Empty when nothing changed. */
export function describeCertainty({ direction, certainty }: FigureChange): string {
  if (direction === "same") return "";
  return { apart: "intervals apart", overlap: "intervals overlap", unknown: "no interval" }[certainty];
}

/** The change of the pass rate, or of the mean score where there is no pass rate. */
export function findHeadlineChange({ previous, card }: LeaderboardEntry): FigureChange | null {
  return previous === null ? null : (listFigureChanges(previous.card, card)[0] ?? null);
}

interface ChangeSummary {
  /** Entries whose quality changed, the most certain and largest first. */
  moved: readonly { entry: LeaderboardEntry; change: FigureChange }[];
  unchanged: number;
  /** Systems without a previous run. */
  fresh: number;
}

export function summarizeChanges(entries: readonly LeaderboardEntry[]): ChangeSummary {
  const changes = entries.flatMap((entry) => {
    const change = findHeadlineChange(entry);
    return change === null ? [] : [{ entry, change }];
  });
  const moved = changes
    .filter(({ change }) => change.direction !== "same")
    .sort((x, y) => computeChangeWeight(y.change) - computeChangeWeight(x.change));
  return {
    moved,
    unchanged: changes.length - moved.length,
    fresh: entries.filter(({ previous }) => previous === null).length,
  };
}

function computeChangeWeight({ certainty, before, after }: FigureChange): number {
  return (certainty === "apart" ? 1 : 0) + Math.abs(after - before);
}

const DIRECTION_ARROWS = { up: "▲", down: "▼", same: "=" } as const;

/** Shows the change of quality; the other figures are folded. */
export function ChangeCell({ entry }: { entry: LeaderboardEntry }) {
  const { previous, card } = entry;
  if (previous === null) return <span class="quiet">first run</span>;
  const changes = listFigureChanges(previous.card, card);
  const [headline] = changes;
  if (headline === undefined) return <span class="quiet">no figure in both runs</span>;
  return (
    <details class="change">
      <summary>
        <ChangeText change={headline} />
        <span class="quiet small block">
          {[headline.words, describeCertainty(headline)].filter(Boolean).join(", ")}
        </span>
      </summary>
      <div class="small">
        <ul class="plain-list">
          {changes.slice(1).map((change) => (
            <li key={change.figure}>
              {change.words} <ChangeText change={change} /> <span class="quiet">{describeCertainty(change)}</span>
            </li>
          ))}
        </ul>
        <span class="quiet">Since {formatDay(previous.run.createdAt)}</span> · <ComparePreviousLink entry={entry} />
      </div>
    </details>
  );
}

/** Links to the paired comparison, because overlapping intervals do not mean that nothing changed. */
function ComparePreviousLink({ entry: { previous, run, card, name } }: { entry: LeaderboardEntry }) {
  const words = { a: previous?.run.id, b: run.id, systemA: previous?.card.system, systemB: card.system };
  return (
    <a href={buildAddress(["compare"], words)} aria-label={`Compare ${name} with its run before`}>
      compare
    </a>
  );
}

function ChangeText({ change: { direction, step, isBetter, certainty } }: { change: FigureChange }) {
  if (isBetter === null) return <span class="change-line">= {step}, the same</span>;
  return (
    <span class={`change-line ${isBetter ? "better" : "worse"} is-${certainty}`}>
      <span aria-hidden="true">{DIRECTION_ARROWS[direction]}</span> {step}, {isBetter ? "better" : "worse"}
    </span>
  );
}

const MAX_CHANGES_LISTED = 5;

/** Changes since the previous runs, the most certain and largest first. */
export function RecentChanges({ boards, scope }: { boards: readonly LeaderboardData[]; scope: FigureScope }) {
  const entries = boards.flatMap((board) => board.entries);
  const { moved, unchanged, fresh } = summarizeChanges(entries);
  if (entries.length === 0) return null;
  return (
    <section class="news" aria-labelledby="news">
      <h2 id="news">What changed since the last run</h2>
      {moved.length > 0 && (
        <ul class="plain-list">
          {moved.slice(0, MAX_CHANGES_LISTED).map(({ entry, change }) => (
            <li key={entry.key}>
              <a href={buildRowsAddress(entry, scope)}>{entry.name}</a>
              {boards.length > 1 && ` on ${findDatasetTitle(entry, boards)}`}: {change.words}{" "}
              <ChangeText change={change} />{" "}
              <span class="quiet">
                since {formatDay(entry.previous?.run.createdAt ?? "")}, {describeCertainty(change)} ·{" "}
              </span>
              <ComparePreviousLink entry={entry} />
            </li>
          ))}
        </ul>
      )}
      <p class="quiet">{describeRemainingChanges(moved.length, unchanged, fresh)}</p>
    </section>
  );
}

function findDatasetTitle(entry: LeaderboardEntry, boards: readonly LeaderboardData[]): string {
  return formatDatasetNames(boards.find(({ entries }) => entries.includes(entry))?.group.datasets ?? []);
}

function describeRemainingChanges(moved: number, unchanged: number, fresh: number): string {
  if (moved + unchanged === 0)
    return "No system has an earlier run on the same examples, so there is nothing to compare with yet.";
  const more = moved - MAX_CHANGES_LISTED;
  const parts = [
    more > 0 && `${formatPlural(more, "more system")} moved, see the tables below`,
    unchanged > 0 && `${formatPlural(unchanged, "system")} as before`,
    fresh > 0 && `${formatPlural(fresh, "system")} new`,
  ].filter(Boolean);
  return parts.length === 0 ? "" : `${parts.join("; ")}.`;
}
