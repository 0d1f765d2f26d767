import { type EvalRow, getScore } from "../core/row.js";
import { formatDollars, formatNumber, formatSeconds } from "./format.js";
import { renderMarkdownTable, type TableColumn } from "./markdown.js";

/**
 * The trials of a run, one line each, named as `assay show` accepts them. Empty columns are left out.
 * @example
 * renderTrialTable([makeRow({ system: "s", exampleId: "fr", outcome: "pass" })]);
 */
export function renderTrialTable(rows: readonly EvalRow[]): string {
  const has = (test: (row: EvalRow) => boolean): boolean => rows.some(test);
  const columns: TableColumn<EvalRow>[] = [
    { title: "system", cell: ({ system }) => system },
    ...(has(({ dataset }) => dataset !== rows[0]?.dataset) ? [datasetColumn] : []),
    { title: "trial", cell: formatTrialName },
    { title: "outcome", cell: ({ outcome }) => outcome },
    ...(has(({ errorCategory }) => errorCategory !== "none") ? [categoryColumn] : []),
    { title: "score", align: "right", cell: (row) => formatNumber(getScore(row, "score")) },
    ...(has(({ turns }) => turns !== null) ? [turnsColumn] : []),
    ...(has(({ costUsd }) => costUsd !== null) ? [costColumn] : []),
    {
      title: "time",
      align: "right",
      cell: ({ durationMs, latency }) => formatSeconds(chooseSeconds(durationMs, latency)),
    },
  ];
  return renderMarkdownTable(columns, rows);
}

const datasetColumn: TableColumn<EvalRow> = { title: "dataset", cell: ({ dataset }) => dataset };
const categoryColumn: TableColumn<EvalRow> = {
  title: "category",
  cell: ({ errorCategory }) => (errorCategory === "none" ? "–" : errorCategory),
};
const turnsColumn: TableColumn<EvalRow> = { title: "turns", align: "right", cell: ({ turns }) => formatNumber(turns) };
const costColumn: TableColumn<EvalRow> = {
  title: "cost",
  align: "right",
  cell: ({ costUsd }) => formatDollars(costUsd),
};

/**
 * The example's id and the trial's index from 0.
 * @example
 * formatTrialName({ exampleId: "fr", trial: 2 }); // "fr#2"
 */
export function formatTrialName({ exampleId, trial }: Pick<EvalRow, "exampleId" | "trial">): string {
  return `${exampleId}#${trial}`;
}

function chooseSeconds(durationMs: number | null, latency: number | null): number | null {
  return durationMs === null ? latency : durationMs / 1000;
}
