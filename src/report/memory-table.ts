import { ownValue } from "../core/own-value.js";
import { type Line, withInterval } from "./cells.js";
import { formatSeconds } from "./format.js";
import { type Column, markdownTable } from "./markdown.js";

/** What memories bring up, and how fast they are. */
export function memoryTable(lines: readonly Line[]): string {
  const seconds = (key: string) => (line: Line) => formatSeconds(ownValue(line.summary, key) ?? null);
  const columns: [string, (line: Line) => string][] = [
    ["context tokens [95 %]", withInterval("mean_context_tokens", 0)],
    ["share of history [95 %]", withInterval("context_share")],
    ["score per 1k tokens [95 %]", withInterval("score_per_1k_context_tokens")],
    ["ingest p50", seconds("ingest_seconds_p50")],
    ["p95", seconds("ingest_seconds_p95")],
    ["query p50", seconds("query_seconds_p50")],
    ["p95", seconds("query_seconds_p95")],
  ];
  const right = columns.map(([title, cell]): Column<Line> => ({ title, align: "right", cell }));
  return `What memories bring up, and how long they take.\n\n${markdownTable([{ title: "system", cell: ({ system }) => system }, ...right], lines)}`;
}

/** True for a run of memories. */
export function remembers({ summary }: Line): boolean {
  return ownValue(summary, "mean_context_tokens") !== undefined;
}
