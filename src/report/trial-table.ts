import { type EvalRow, scoreOf } from "../core/row.js";
import { formatDollars, formatNumber, formatSeconds } from "./format.js";
import { type Column, markdownTable } from "./markdown.js";

/**
 * The trials of a run, one line each, named as `assay show` accepts them. Empty columns are left out.
 * @example
 * renderTrialTable([makeRow({ system: "s", exampleId: "fr", outcome: "pass" })]);
 */
export function trialTable(rows: readonly EvalRow[]): string {
  const has = (test: (row: EvalRow) => boolean): boolean => rows.some(test);
  const columns: Column<EvalRow>[] = [
    { title: "system", cell: ({ system }) => system },
    ...(has(({ dataset }) => dataset !== rows[0]?.dataset) ? [datasetColumn] : []),
    { title: "trial", cell: trialName },
    { title: "outcome", cell: ({ outcome }) => outcome },
    ...(has(({ errorCategory }) => errorCategory !== "none") ? [categoryColumn] : []),
    { title: "score", align: "right", cell: (row) => formatNumber(scoreOf(row, "score")) },
    ...(has(({ turns }) => turns !== null) ? [turnsColumn] : []),
    ...(has(({ costUsd }) => costUsd !== null) ? [costColumn] : []),
    { title: "time", align: "right", cell: ({ durationMs, latency }) => formatSeconds(seconds(durationMs, latency)) },
  ];
  return markdownTable(columns, rows);
}

const datasetColumn: Column<EvalRow> = { title: "dataset", cell: ({ dataset }) => dataset };
const categoryColumn: Column<EvalRow> = {
  title: "category",
  cell: ({ errorCategory }) => (errorCategory === "none" ? "–" : errorCategory),
};
const turnsColumn: Column<EvalRow> = { title: "turns", align: "right", cell: ({ turns }) => formatNumber(turns) };
const costColumn: Column<EvalRow> = { title: "cost", align: "right", cell: ({ costUsd }) => formatDollars(costUsd) };

/**
 * The example's id and the trial's index from 0.
 * @example
 * formatTrialName({ exampleId: "fr", trial: 2 }); // "fr#2"
 */
export function trialName({ exampleId, trial }: Pick<EvalRow, "exampleId" | "trial">): string {
  return `${exampleId}#${trial}`;
}

function seconds(durationMs: number | null, latency: number | null): number | null {
  return durationMs === null ? latency : durationMs / 1000;
}
