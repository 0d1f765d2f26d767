import { LOW_COVERAGE } from "../../../../src/metrics/low-coverage.js";
import type { SystemCard } from "../../../../src/report/dashboard/contract.js";
import {
  buildAddress,
  chooseColumnFormat,
  DateAndTime,
  formatDollars,
  formatInterval,
  formatMilliseconds,
  formatScore,
  formatShare,
  IntervalCell,
  MISSING,
  PickBox,
  type PickState,
  StatusBadge,
  type TableColumn,
} from "../../ui/index.js";
import { buildRowsAddress, chooseRankingCost, type FigureScope, type LeaderboardEntry } from "../run-groups.js";
import { ChangeCell, findHeadlineChange } from "./changes.js";

/** Quality and pass rate are one column where they are equal. */
export function buildLeaderboardColumns(
  entries: readonly LeaderboardEntry[],
  picking: PickState,
  scope: FigureScope,
): TableColumn<LeaderboardEntry>[] {
  const areRatesEqual = entries.every(({ card: { figures } }) => figures.mean_score === figures.pass_rate);
  return [
    createSystemPickColumn(picking),
    createSystemColumn(scope),
    ...(areRatesEqual ? [MERGED_QUALITY_COLUMN] : QUALITY_COLUMNS),
    ...createCostColumns(entries),
    ...createSpeedColumns(entries),
    ...RELIABILITY_COLUMNS,
    RUN_COLUMN,
    CHANGE_COLUMN,
  ];
}

function createSystemPickColumn(picking: PickState): TableColumn<LeaderboardEntry> {
  return {
    key: "pick",
    title: <span class="unseen">Compare</span>,
    cell: ({ run, card, name }) => <PickBox {...picking} pick={{ run: run.id, system: card.system }} label={name} />,
  };
}

function createSystemColumn(scope: FigureScope): TableColumn<LeaderboardEntry> {
  return {
    key: "system",
    title: "System",
    isRowHead: true,
    class: "system",
    value: ({ name }) => name,
    cell: (entry) => (
      <>
        <a class="two-lines" href={buildRowsAddress(entry, scope)} title={entry.name}>
          {entry.name}
        </a>
        <span class="quiet small block clip">{formatHarnessAndModel(entry.card)}</span>
      </>
    ),
  };
}

/** Left out where they repeat the name. */
function formatHarnessAndModel({ system, harness, model }: SystemCard): string {
  return [harness, model === system ? null : model].filter(Boolean).join(" · ");
}

const QUALITY_COLUMNS: readonly [TableColumn<LeaderboardEntry>, TableColumn<LeaderboardEntry>] = [
  {
    key: "quality",
    group: "Quality",
    title: "Mean score",
    about: "Mean score with its 95 % interval",
    isBestHigh: true,
    startsDescending: true,
    isNumeric: true,
    value: ({ card }) => card.figures.mean_score,
    cell: ({ card: { figures } }) => (
      <IntervalCell value={figures.mean_score} low={figures.mean_score_ci_low} high={figures.mean_score_ci_high} />
    ),
  },
  {
    key: "pass_rate",
    group: "Quality",
    title: "Pass rate",
    about: "Share of scored trials at or above the threshold, with its 95 % interval",
    isBestHigh: true,
    startsDescending: true,
    isNumeric: true,
    value: ({ card }) => card.figures.pass_rate,
    cell: ({ card: { figures } }) => (
      <IntervalCell value={figures.pass_rate} low={figures.pass_rate_ci_low} high={figures.pass_rate_ci_high} />
    ),
  },
];

const [SCORE_COLUMN] = QUALITY_COLUMNS;

/** Where both are equal, the column keeps the key of the default order and the better-known name. */
const MERGED_QUALITY_COLUMN: TableColumn<LeaderboardEntry> = {
  ...SCORE_COLUMN,
  title: "Pass rate",
  about: "Share of scored trials that passed, with its 95 % interval; here equal to the mean score",
};

/** One unit for all lines; "≥" and reasons are on the run page. */
function createCostColumns(entries: readonly LeaderboardEntry[]): TableColumn<LeaderboardEntry>[] {
  const { unit, format } = chooseColumnFormat(
    "usd",
    entries.map(({ card }) => card.figures.cost_per_pass_usd),
  );
  return [
    {
      key: "cost_per_pass",
      group: "Cost",
      title: `Per pass, ${unit}`,
      about: "Billed cost of all trials, including failures, divided by the passes",
      isNumeric: true,
      isBestLow: true,
      value: ({ card }) => card.figures.cost_per_pass_usd,
      cell: ({ card: { figures } }) => (
        <span title={formatCostInterval(figures)}>{format(figures.cost_per_pass_usd)}</span>
      ),
    },
    createParetoColumn(entries),
  ];
}

function createSpeedColumns(entries: readonly LeaderboardEntry[]): TableColumn<LeaderboardEntry>[] {
  const { unit, format } = chooseColumnFormat(
    "ms",
    entries.map(({ card }) => card.figures.median_time_to_success_ms),
  );
  return [
    {
      key: "time_to_success",
      group: "Speed",
      title: `To success, ${unit}`,
      about: "Median time to success over the trials that passed",
      isNumeric: true,
      isBestLow: true,
      value: ({ card }) => card.figures.median_time_to_success_ms,
      cell: ({ card }) => (
        <span title={formatMilliseconds(card.figures.median_time_to_success_ms)}>
          {format(card.figures.median_time_to_success_ms)}
        </span>
      ),
    },
    {
      key: "speed",
      group: "Speed",
      title: "Efficiency",
      about: "Pass rate ÷ (1 + minutes to success)",
      startsDescending: true,
      isNumeric: true,
      isBestHigh: true,
      value: ({ card }) => card.figures.speed_efficiency_score,
      cell: ({ card }) => formatScore(card.figures.speed_efficiency_score),
    },
  ];
}

function formatCostInterval(figures: SystemCard["figures"]): string {
  const [low, high] = [figures.cost_per_pass_usd_ci_low, figures.cost_per_pass_usd_ci_high];
  return formatInterval({ value: figures.cost_per_pass_usd, low, high }, formatDollars);
}

const RELIABILITY_COLUMNS: readonly TableColumn<LeaderboardEntry>[] = [
  {
    key: "pass_hat",
    group: "Reliability",
    isBestHigh: true,
    title: "pass^k",
    about: "How likely all k trials of one example pass",
    startsDescending: true,
    isNumeric: true,
    value: ({ card }) => card.figures.pass_hat,
    cell: ({ card: { figures, k } }) => (
      <span
        title={formatInterval({
          value: figures.pass_hat,
          low: figures.pass_hat_ci_low,
          high: figures.pass_hat_ci_high,
        })}
      >
        {formatScore(figures.pass_hat)}
        {figures.pass_hat !== null && <span class="quiet small"> k={k}</span>}
      </span>
    ),
  },
  {
    key: "coverage",
    group: "Reliability",
    title: "Coverage",
    about: "Share of the planned trials that were scored",
    startsDescending: true,
    isNumeric: true,
    value: ({ card }) => card.figures.coverage,
    cell: ({ card }) => <CoverageCell value={card.figures.coverage} />,
  },
];

/** Says in its head what decides besides quality, as the run page does. */
function createParetoColumn(entries: readonly LeaderboardEntry[]): TableColumn<LeaderboardEntry> {
  return {
    key: "pareto",
    group: "Cost",
    isBestLow: true,
    title: `Pareto rank, by ${chooseRankingCost(entries) === "cost_per_pass_usd" ? "$" : "tokens"}`,
    about:
      "1: no other system here is at least as good for less. By quality and dollars per pass if every system here has a price, else output tokens per pass; last if one of them is unknown",
    isNumeric: true,
    value: ({ rank }) => rank,
    cell: ({ rank }) =>
      rank === null ? (
        <span title="No system here has both a quality and a cost per pass">{MISSING}</span>
      ) : (
        String(rank)
      ),
  };
}

function CoverageCell({ value }: { value: number | null }) {
  if (value === null || value >= LOW_COVERAGE) return <>{formatShare(value)}</>;
  return (
    <span class="warn" title="Under 95 %: the figures cover only part of the planned trials">
      <span role="img" aria-label="Low:">
        ⚠
      </span>{" "}
      {formatShare(value)}
    </span>
  );
}

const RUN_COLUMN: TableColumn<LeaderboardEntry> = {
  key: "run",
  title: "Run",
  startsDescending: true,
  value: ({ run }) => Date.parse(run.createdAt),
  cell: ({ run, doubt }) => (
    <>
      <a href={buildAddress(["run", run.id])} title={`${run.title}\n${run.id}`} class="bare">
        <DateAndTime at={run.createdAt} />
      </a>
      {(run.status !== "complete" || doubt !== null) && (
        <span title={doubt ?? undefined}>
          <StatusBadge status={run.status} isDoubtful={doubt !== null} />
        </span>
      )}
    </>
  ),
};

const CHANGE_COLUMN: TableColumn<LeaderboardEntry> = {
  key: "change",
  title: "Since last run",
  about: "Difference from the previous run of the same system on the same examples",
  startsDescending: true,
  class: "since",
  value: (entry) => {
    const change = findHeadlineChange(entry);
    return change === null ? null : change.after - change.before;
  },
  cell: (entry) => <ChangeCell entry={entry} />,
};
