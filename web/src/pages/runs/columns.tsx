import type { RunCard } from "../../../../src/report/dashboard/contract.js";
import { getRunCommand, RUN_SORTS } from "../../../../src/report/dashboard/run-query.js";
import {
  buildAddress,
  DateAndTime,
  formatCount,
  formatDollars,
  formatPlural,
  formatRunCost,
  formatScore,
  formatSeconds,
  MISSING,
  PickBox,
  type PickState,
  revealLine,
  StatusBadge,
  type TableColumn,
} from "../../ui/index.js";
import { explainDoubt } from "../run-groups.js";

export function buildRunColumns(picking: PickState): TableColumn<RunCard>[] {
  return [
    createRunPickColumn(picking),
    TITLE_COLUMN,
    ...STATUS_COLUMNS,
    ...RESULT_COLUMNS,
    ...DATASET_AND_SYSTEM_COLUMNS,
    ...EFFORT_COLUMNS,
  ];
}

function createRunPickColumn(picking: PickState): TableColumn<RunCard> {
  return {
    key: "pick",
    title: <span class="unseen">Compare</span>,
    class: "w-pick",
    cell: ({ id, title, status }) =>
      status === "damaged" ? null : <PickBox {...picking} pick={{ run: id }} label={`${title}, ${id}`} />,
  };
}

const TITLE_COLUMN: TableColumn<RunCard> = {
  key: "title",
  title: "Run",
  isRowHead: true,
  class: "w-title",
  value: RUN_SORTS.title,
  cell: ({ id, title, runTags, problem }) =>
    problem === null ? (
      <a class="two-lines" href={buildAddress(["run", id])} title={[title, ...runTags, id].join("\n")}>
        {revealLine([title, ...runTags].join(" · "))}
      </a>
    ) : (
      <>
        <span class="clip block">{revealLine(title)}</span>
        <span class="bad small clip block" title={problem}>
          {problem}
        </span>
      </>
    ),
};

const STATUS_COLUMNS: readonly TableColumn<RunCard>[] = [
  {
    key: "status",
    title: "Status",
    class: "w-status",
    value: RUN_SORTS.status,
    cell: (run) => <RunStatusCell run={run} />,
  },
  {
    key: "when",
    title: "When",
    class: "w-when",
    startsDescending: true,
    value: RUN_SORTS.when,
    cell: ({ createdAt }) => <DateAndTime at={createdAt} />,
  },
];

const DATASET_AND_SYSTEM_COLUMNS: readonly TableColumn<RunCard>[] = [
  createNamesColumn("datasets", "Datasets", ({ datasets }) => datasets.map(({ name }) => name)),
  createNamesColumn("systems", "Systems", ({ systems }) => systems.map(({ system }) => system)),
];

function createNamesColumn(
  key: "datasets" | "systems",
  title: string,
  names: (run: RunCard) => string[],
): TableColumn<RunCard> {
  return {
    key,
    title,
    class: "w-names",
    value: RUN_SORTS[key],
    cell: (run) => <NamesCell names={names(run)} />,
  };
}

/** The first name, cut where it is long, and how many others there are, which is never cut. */
function NamesCell({ names }: { names: readonly string[] }) {
  const [first, ...others] = names;
  if (first === undefined) return MISSING;
  return (
    <span class="first-name" title={names.join(", ")}>
      <span class="clip">{revealLine(first)}</span>
      {others.length > 0 && <span class="quiet"> +{others.length}</span>}
    </span>
  );
}

/** What a run showed, before what it consisted of: narrow windows cut the columns at the end. */
const RESULT_COLUMNS: readonly TableColumn<RunCard>[] = [
  {
    key: "pass_rate",
    title: "Pass rates",
    about: "The lowest and the highest of its systems; sorted by their mean",
    class: "w-rates",
    isNumeric: true,
    startsDescending: true,
    value: RUN_SORTS.pass_rate,
    cell: PassRatesCell,
  },
  {
    key: "cost",
    title: "Cost",
    class: "w-small",
    isNumeric: true,
    startsDescending: true,
    value: RUN_SORTS.cost,
    cell: ({ costUsd, unpricedSystems }) => (
      <span title={formatRunCost({ costUsd, unpricedSystems })}>
        {costUsd !== null && unpricedSystems > 0 && "≥ "}
        {formatDollars(costUsd)}
      </span>
    ),
  },
];

const EFFORT_COLUMNS: readonly TableColumn<RunCard>[] = [
  {
    key: "done",
    title: "Done",
    about: "Trials that have ended, of those planned",
    class: "w-number",
    isNumeric: true,
    startsDescending: true,
    value: RUN_SORTS.done,
    cell: ({ done, planned }) => (
      <>
        {formatCount(done)}
        <span class="quiet"> / {formatCount(planned)}</span>
      </>
    ),
  },
  {
    key: "time",
    title: "Time",
    class: "w-small",
    isNumeric: true,
    startsDescending: true,
    value: RUN_SORTS.time,
    cell: ({ wallSeconds }) => formatSeconds(wallSeconds),
  },
  { key: "command", title: "Command", class: "w-command", value: RUN_SORTS.command, cell: getRunCommand },
];

function PassRatesCell({ systems }: RunCard) {
  const inFull = systems.map(({ system, figures }) => `${system}: ${formatScore(figures.pass_rate)}`).join("\n");
  return (
    <span class="clip block" title={inFull}>
      {formatRateRange(systems.map(({ figures }) => figures.pass_rate))}
    </span>
  );
}

/**
 * The lowest and the highest pass rate.
 * @example
 * formatRateRange([0.9, null, 0.5]); // "0.50–0.90"
 */
export function formatRateRange(rates: readonly (number | null)[]): string {
  const known = rates.filter((rate) => rate !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)].map((rate) => formatScore(rate));
  if (known.length === 0 || low === undefined || high === undefined) return MISSING;
  return low === high ? low : `${low}–${high}`;
}

/** Amber with the reason where a finished run has too few scored trials. */
function RunStatusCell({ run }: { run: RunCard }) {
  const { status, workers, systems } = run;
  const doubts = status === "running" ? [] : systems.flatMap((card) => explainDoubt({ run, card }) ?? []);
  return (
    <span title={doubts[0]}>
      <StatusBadge status={status} isDoubtful={doubts.length > 0} />
      {doubts.length > 0 && <span class="unseen">: {doubts[0]}</span>}
      {workers !== undefined && <span class="quiet small block">{formatPlural(workers, "worker")}</span>}
    </span>
  );
}
