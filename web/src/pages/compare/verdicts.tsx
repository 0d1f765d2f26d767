import {
  findQualityMetric,
  type Lift,
  type MetricComparison,
  type PairedComparison,
} from "../../../../src/metrics/compare/index.js";
import { summarizeTests } from "../../../../src/report/compare-verdict.js";
import type { CompareVerdict, RunCard } from "../../../../src/report/dashboard/contract.js";
import { buildAddress, formatMoment, formatPlural, revealLine, revealText, Scrollable } from "../../ui/index.js";
import { formatChangeInterval, formatMetricChange, formatMetricTitle, formatPCell } from "./metric-cells.js";

/** Begins with the date, because runs of one title differ by nothing else and a narrow list cuts the end. */
export function formatRunLabel({ title, createdAt, status }: RunCard): string {
  return `${formatMoment(createdAt)} · ${revealLine(title)}${status === "complete" ? "" : ` · ${status}`}`;
}

/** Names A and B, each with a link to its run. */
export function ComparedRuns({ a, b }: { a: RunCard; b: RunCard }) {
  return (
    <dl class="compared-runs">
      {[a, b].map((run, place) => (
        <div key={place}>
          <dt>{place === 0 ? "A" : "B"}</dt>
          <dd>
            <a href={buildAddress(["run", run.id])}>
              <bdi>{formatRunLabel(run)}</bdi>
            </a>
          </dd>
        </div>
      ))}
    </dl>
  );
}

const LIFT_SIGNS: Readonly<Record<Lift, string>> = {
  better: "▲",
  worse: "▼",
  same_but_cheaper: "▲",
  same_but_dearer: "▼",
  inconclusive: "?",
};

/** The sentence of `assay compare`. */
export function VerdictSentence({ verdict: { lift, sentence } }: { verdict: CompareVerdict }) {
  return (
    <>
      <LiftSign lift={lift} /> {revealText(sentence)}
    </>
  );
}

function LiftSign({ lift }: { lift: Lift }) {
  return (
    <span class={`lift-sign lift-${lift}`} aria-hidden="true">
      {LIFT_SIGNS[lift]}
    </span>
  );
}

/** How the p-values were computed and what their correction covers, said once for all systems. */
export function TestNotes({ comparisons }: { comparisons: readonly PairedComparison[] }) {
  const sentences = summarizeTests(comparisons);
  if (sentences.length === 0) return null;
  return (
    <details class="how-tested">
      <summary>How p-values are computed</summary>
      <p class="quiet">{sentences.join(" ")}</p>
    </details>
  );
}

const LIFT_WORDS: readonly (readonly [Lift, string])[] = [
  ["worse", "worse than A"],
  ["better", "better than A"],
  ["same_but_cheaper", "as good as A and cheaper"],
  ["same_but_dearer", "no better than A and more expensive"],
  ["inconclusive", "without a significant difference in quality"],
];

/**
 * Counts the verdicts of several systems.
 * @example
 * summarizeVerdicts(verdicts); // "3 systems: 1 worse than A, 2 without a significant difference in quality."
 */
export function summarizeVerdicts(verdicts: readonly Pick<CompareVerdict, "lift">[], noun = "system"): string {
  const counts = LIFT_WORDS.flatMap(([lift, words]) => {
    const count = verdicts.filter((verdict) => verdict.lift === lift).length;
    return count === 0 ? [] : [`${count} ${words}`];
  });
  return `${formatPlural(verdicts.length, noun)}: ${counts.join(", ")}.`;
}

/** One compared pair of systems in a table of verdicts. */
export interface VerdictLine {
  /** Null where all lines have the same runs. */
  readonly run: RunCard | null;
  readonly comparison: PairedComparison;
  readonly verdict: CompareVerdict;
  /** The address of its details. */
  readonly address: string;
}

/** Short, for a table: the figures beside it say the rest. */
const LIFT_LABELS: Readonly<Record<Lift, string>> = {
  better: "better",
  worse: "worse",
  same_but_cheaper: "as good, cheaper",
  same_but_dearer: "no better, more expensive",
  inconclusive: "no significant difference",
};

/** What got worse first, then by the difference in quality. */
export function sortByRegression(lines: readonly VerdictLine[]): VerdictLine[] {
  const rank = ({ verdict }: VerdictLine) => (verdict.lift === "worse" ? 0 : verdict.lift === "better" ? 2 : 1);
  const difference = ({ comparison }: VerdictLine) => findQualityMetric(comparison)?.difference ?? 0;
  return [...lines].sort((one, other) => rank(one) - rank(other) || difference(one) - difference(other));
}

/** One line per pair of systems, regressions first. */
export function VerdictTable({ lines, caption }: { lines: readonly VerdictLine[]; caption: string }) {
  const hasRuns = lines.some(({ run }) => run !== null);
  const over = findSharedHypotheses(lines);
  return (
    <Scrollable class="table-scroll" label={caption}>
      <table class="table compare-verdicts">
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {hasRuns && <th scope="col">Run B</th>}
            <th scope="col">System</th>
            <th scope="col">Verdict</th>
            <th scope="col" class="metric-cell">
              Metric
            </th>
            {["B − A", "Interval", "p", "Adjusted p"].map((title) => (
              <th key={title} scope="col" class="number">
                {title}
                {title === "Adjusted p" && over !== null && <span class="unit"> over {over}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sortByRegression(lines).map((line) => (
            <VerdictRow key={line.address} line={line} hasRuns={hasRuns} over={over} />
          ))}
        </tbody>
      </table>
    </Scrollable>
  );
}

/** How many differences were corrected for, if all lines agree: then the head says it once. */
function findSharedHypotheses(lines: readonly VerdictLine[]): number | null {
  const counts = lines.flatMap(({ comparison }) => {
    const quality = findQualityMetric(comparison);
    return quality == null || quality.adjustedP === null ? [] : [quality.hypotheses];
  });
  const [first = null] = counts;
  return counts.every((count) => count === first) ? first : null;
}

interface VerdictRowProps {
  line: VerdictLine;
  hasRuns: boolean;
  over: number | null;
}

function VerdictRow({ line: { run, comparison, verdict, address }, hasRuns, over }: VerdictRowProps) {
  const quality = findQualityMetric(comparison);
  return (
    <tr>
      {hasRuns && <td>{run !== null && <RunName run={run} />}</td>}
      <th scope="row">
        <a href={address}>
          <SystemNames comparison={comparison} />
        </a>
      </th>
      <td class="verdict-cell">
        <LiftSign lift={verdict.lift} /> {LIFT_LABELS[verdict.lift]}
      </td>
      {quality === undefined ? <td colSpan={5}>–</td> : <QualityCells metric={quality} over={over} />}
    </tr>
  );
}

/** Its date on a line of its own, which does not break. */
function RunName({ run: { title, createdAt } }: { run: RunCard }) {
  return (
    <>
      <bdi>{revealLine(title)}</bdi>
      <small class="quiet block nowrap">{formatMoment(createdAt)}</small>
    </>
  );
}

function QualityCells({ metric, over }: { metric: MetricComparison; over: number | null }) {
  const { difference, p, adjustedP, hypotheses } = metric;
  return (
    <>
      <td class="metric-cell">{formatMetricTitle(metric)}</td>
      <td class="number">
        <b>{formatMetricChange(metric, difference)}</b>
      </td>
      <td class="number">{formatChangeInterval(metric)}</td>
      <td class="number">{formatPCell(p)}</td>
      <td class="number">
        {formatPCell(adjustedP)}
        {adjustedP !== null && over === null && <small class="quiet"> over {hypotheses}</small>}
      </td>
    </>
  );
}

export function SystemNames({ comparison: { systemA, systemB } }: { comparison: PairedComparison }) {
  if (systemA === systemB) return <bdi>{revealLine(systemA)}</bdi>;
  return (
    <>
      A <bdi>{revealLine(systemA)}</bdi> → B <bdi>{revealLine(systemB)}</bdi>
    </>
  );
}
