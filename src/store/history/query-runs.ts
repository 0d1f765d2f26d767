import type { QueryOptions, QueryResult, QueryRow } from "./index.js";

/**
 * Queries the stored runs of a folder in SQL. Values are JSON values.
 * @example
 * const { rows } = await queryRuns({ runsDir: ".assay/runs", sql: "select run, status, cost_usd from runs" });
 */
export async function queryRuns(options: QueryOptions): Promise<QueryResult> {
  const { runQuery } = await import("./index.js");
  return runQuery(options, async ({ columns, notes, pieces }) => {
    const rows: QueryRow[] = [];
    for await (const piece of pieces()) for (const row of piece) rows.push(row);
    return { columns, rows, notes };
  });
}
