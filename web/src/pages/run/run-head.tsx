import { LOW_COVERAGE } from "../../../../src/metrics/low-coverage.js";
import type { RunView } from "../../../../src/report/dashboard/contract.js";
import {
  buildAddress,
  formatCount,
  formatDollars,
  formatMoment,
  formatNumber,
  formatPlural,
  formatRunCost,
  formatSeconds,
  formatShare,
  type KeyValue,
  KeyValues,
  revealLine,
  revealText,
  StatusBadge,
} from "../../ui/index.js";

export function RunHead({ view }: { view: RunView }) {
  const { card } = view;
  return (
    <>
      <KeyValues entries={[...listRunFacts(view), ...listRunOrigin(view)]} />
      {card.problem !== null && (
        <p class="problem" role="alert">
          {revealText(card.problem)}
        </p>
      )}
      <RunNotes notes={view.notes} />
    </>
  );
}

function listRunFacts({ card, config, warnings, maxCostUsd }: RunView): KeyValue[] {
  return [
    ["Status", <StatusBadge key="status" status={card.status} isDoubtful={warnings.length > 0} />],
    ["When", formatMoment(card.createdAt)],
    ["Trials", `${formatCount(card.done)} of ${formatCount(card.planned)}`],
    ["Coverage", <RunCoverage key="coverage" card={card} />],
    [
      "Cost",
      maxCostUsd === null ? formatRunCost(card) : `${formatRunCost(card)} of ${formatDollars(maxCostUsd)} budget`,
    ],
    ["Time", formatSeconds(card.wallSeconds)],
    ["Datasets", <DatasetNames key="datasets" card={card} />],
    ["Passing", revealLine(formatPassRule(config))],
    ["Trials per example", config.trials > 1 ? config.trials : null],
  ];
}

function listRunOrigin({ card, config, gitRevision, assayVersion }: RunView): KeyValue[] {
  return [
    ["Evaluators", config.evaluators.length === 0 ? null : revealLine(config.evaluators.join(", "))],
    ["Command", card.command === null ? null : revealLine(card.command)],
    ["Git revision", gitRevision === null ? null : <code key="git">{gitRevision.slice(0, 12)}</code>],
    ["Assay", assayVersion],
    ["Graded again from", card.parent === null ? null : <ParentLink key="parent" parent={card.parent} />],
  ];
}

function ParentLink({ parent }: { parent: string }) {
  return (
    <a href={buildAddress(["run", parent])}>
      <bdi>{revealLine(parent)}</bdi>
    </a>
  );
}

type RunViewCard = RunView["card"];

function DatasetNames({ card }: { card: RunViewCard }) {
  return (
    <>
      {card.datasets.map(({ name, examples }, place) => (
        <span key={name}>
          {place > 0 && ", "}
          <bdi>{revealLine(name)}</bdi> <span class="quiet">({formatPlural(examples, "example")})</span>
        </span>
      ))}
    </>
  );
}

/** A low coverage is marked: the missing trials could change the figures. A run in progress has the share so far. */
function RunCoverage({ card: { systems, planned, status } }: { card: RunViewCard }) {
  const count = (outcome: "pass" | "fail" | "error") => systems.reduce((sum, own) => sum + own.outcomes[outcome], 0);
  const scored = count("pass") + count("fail");
  if (status === "running")
    return <span>{scored === 0 ? "–" : `${formatShare(scored / (scored + count("error")))} so far`}</span>;
  if (planned === 0) return <span>–</span>;
  const share = scored / planned;
  return share < LOW_COVERAGE ? <span class="warn">⚠ {formatShare(share)}</span> : <span>{formatShare(share)}</span>;
}

const MAX_OPEN_NOTES = 3;

function RunNotes({ notes }: { notes: readonly string[] }) {
  if (notes.length === 0) return null;
  const list = (
    <ul class="notes">
      {notes.map((note) => (
        <li key={note}>{revealText(note)}</li>
      ))}
    </ul>
  );
  if (notes.length <= MAX_OPEN_NOTES) return list;
  return (
    <details>
      <summary>{formatPlural(notes.length, "note")}</summary>
      {list}
    </details>
  );
}

/**
 * What a trial must reach to pass; each dataset has its own field unless one was requested.
 * @example
 * formatPassRule({ scoreField: "score", threshold: 0.7, datasets: [{ primaryField: "contains" }] }); // "contains ≥ 0.7"
 */
export function formatPassRule({ scoreField, threshold, datasets }: PassRuleConfig): string {
  const fields = new Set(datasets.map(({ primaryField }) => primaryField ?? scoreField));
  const named = scoreField !== "score" || fields.size === 0 ? scoreField : [...fields].join(" or ");
  return `${named} ≥ ${formatNumber(threshold)}`;
}

type RunConfig = RunView["config"];

interface PassRuleConfig extends Pick<RunConfig, "scoreField" | "threshold"> {
  datasets: readonly Pick<RunConfig["datasets"][number], "primaryField">[];
}
