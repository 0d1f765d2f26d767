import { ERROR_CATEGORIES, OUTCOMES } from "../../../../../src/core/row.js";
import type { RowChunk, RowsHead } from "../../../../../src/report/dashboard/contract.js";
import { RowTable } from "./row-table.js";

/** One row of a table made for a test. */
export interface FixtureRow {
  id: string | number;
  system?: string;
  dataset?: string;
  outcome?: (typeof OUTCOMES)[number];
  category?: (typeof ERROR_CATEGORIES)[number];
  trial?: number;
  score?: number | null;
  latency?: number | null;
  f1?: number | null;
  tags?: readonly string[];
}

const SYSTEMS = ["beta", "alpha"];
const DATASETS = ["one", "two"];

/** The head that goes with `fixtureChunk`. */
export function fixtureHead(total: number): RowsHead {
  return {
    schema: "assay.rows/1",
    total,
    systems: SYSTEMS,
    datasets: DATASETS,
    outcomes: OUTCOMES,
    categories: ERROR_CATEGORIES,
    fields: ["f1"],
  };
}

/** Rows as a server sends them. */
export function fixtureChunk(rows: readonly FixtureRow[], start = 0): RowChunk {
  return {
    start,
    system: rows.map(({ system = "beta" }) => SYSTEMS.indexOf(system)),
    dataset: rows.map(({ dataset = "one" }) => DATASETS.indexOf(dataset)),
    outcome: rows.map(({ outcome = "pass" }) => OUTCOMES.indexOf(outcome)),
    category: rows.map(({ category = "none" }) => ERROR_CATEGORIES.indexOf(category)),
    id: rows.map(({ id }) => id),
    trial: rows.map(({ trial = 0 }) => trial),
    score: rows.map(({ score = null }) => score),
    costUsd: rows.map(() => null),
    latency: rows.map(({ latency = null }) => latency),
    inputTokens: rows.map(() => 0),
    outputTokens: rows.map(() => 0),
    turns: rows.map(() => null),
    attempts: rows.map(() => 0),
    scores: [rows.map(({ f1 = null }) => f1)],
    tags: rows.map(({ tags = [] }) => tags),
  };
}

/** A table of such rows, in one piece. */
export function fixtureTable(rows: readonly FixtureRow[]): RowTable {
  const table = new RowTable(fixtureHead(rows.length));
  table.append(fixtureChunk(rows));
  return table;
}
