import { type EvalRow, type FactUnit, ROW_FIELD_LIST } from "../../../../src/core/row.js";
import type { TokenClass, TrialView } from "../../../../src/report/dashboard/contract.js";
import {
  formatCount,
  formatDollars,
  formatMilliseconds,
  formatNumber,
  formatSeconds,
  type KeyValue,
  KeyValues,
  OutcomeBadge,
  revealLine,
  revealText,
} from "../../ui/index.js";
import { explainOutcome } from "./scores.js";

export function Verdict({ view: { row, threshold } }: { view: TrialView }) {
  const why = explainOutcome(row, threshold);
  return (
    <p class="verdict">
      <OutcomeBadge outcome={row.outcome} />
      {row.errorCategory !== "none" && row.errorCategory !== "skipped" && <code> {row.errorCategory}</code>}
      {why !== null && <span> {revealText(why)}</span>}
    </p>
  );
}

const COST_SOURCES: Readonly<Record<EvalRow["costSource"], string>> = {
  provider: "reported by the provider",
  priced: "tokens × price",
  batch: "reported tokens × batch price",
  estimated: "estimated",
  unknown: "source unknown",
};

/** Values that were not measured are left out. */
export function TrialFacts({ row }: { row: EvalRow }) {
  return <KeyValues entries={[...listCostFacts(row), ...listFieldFacts(row), ...listOriginFacts(row)]} />;
}

function listCostFacts(row: EvalRow): KeyValue[] {
  const remarks = [
    COST_SOURCES[row.costSource],
    ...(row.partial ? ["incomplete"] : []),
    ...(row.cached ? ["not paid for in this run"] : []),
  ];
  return [
    ["Cost", row.costUsd === null ? null : `${formatDollars(row.costUsd)} (${remarks.join(", ")})`],
    ["Over its limit", row.overshootUsd === null ? null : formatDollars(row.overshootUsd)],
    ["Stopped at", row.costKilledAt > 0 ? formatDollars(row.costKilledAt) : null],
    ["Scoring cost", row.judgeCostUsd === null ? null : formatDollars(row.judgeCostUsd)],
    ["Text tokens", `${formatCount(row.inputTokens)} in, ${formatCount(row.outputTokens)} out`],
  ];
}

const FACT_FORMATS: Readonly<Record<FactUnit, (value: number) => string>> = {
  usd: formatDollars,
  seconds: formatSeconds,
  ms: formatMilliseconds,
  count: formatCount,
  rate: (value) => formatNumber(value, 1),
};

function listFieldFacts(row: EvalRow): KeyValue[] {
  return ROW_FIELD_LIST.flatMap(({ name, neutral, fact }): KeyValue[] => {
    const value = row[name];
    if (fact?.page === undefined || typeof value !== "number" || value === neutral) return [];
    return [[fact.page, FACT_FORMATS[fact.unit](value)]];
  });
}

function listOriginFacts(row: EvalRow): KeyValue[] {
  return [["Group", row.group === null ? null : revealLine(String(row.group))]];
}

/** What kind of example it is, such as its topic. */
export function FacetChips({ row: { facets } }: { row: EvalRow }) {
  const entries = Object.entries(facets ?? {});
  if (entries.length === 0) return null;
  return (
    <ul class="chips" aria-label="Facets of the example">
      {entries.map(([name, value]) => (
        <li key={name} class="chip">
          <span class="quiet">{revealLine(name)}</span> <bdi>{revealLine(String(value))}</bdi>
        </li>
      ))}
    </ul>
  );
}

export function TokenUsage({ view: { row, classes } }: { view: TrialView }) {
  const lines = classes.filter(({ tokens }) => tokens > 0);
  if (lines.length === 0) return null;
  return (
    <section aria-labelledby="usage">
      <h2 id="usage">Usage</h2>
      <table class="table narrow">
        <caption class="unseen">Tokens as billed, by class</caption>
        <thead>
          <tr>
            <th scope="col">Class</th>
            <th scope="col" class="number">
              Tokens
            </th>
            <th scope="col" class="number">
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ name, tokens, costUsd }) => (
            <tr key={name}>
              <th scope="row">{TOKEN_CLASS_WORDS[name]}</th>
              <td class="number">{formatCount(tokens)}</td>
              <td class="number">{formatDollars(costUsd)}</td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">All</th>
            <td class="number">{formatCount(lines.reduce((sum, { tokens }) => sum + tokens, 0))}</td>
            <td class="number">{formatDollars(row.costUsd)}</td>
          </tr>
        </tfoot>
      </table>
    </section>
  );
}

const TOKEN_CLASS_WORDS: Readonly<Record<TokenClass, string>> = {
  input: "input",
  cacheRead: "read from the cache",
  cacheWrite: "written to the cache",
  output: "output",
  reasoning: "reasoning",
};
