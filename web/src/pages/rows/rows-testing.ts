import { ERROR_CATEGORIES, OUTCOMES } from "../../../../src/core/row.js";
import type { RowChunk, RowsHead } from "../../../../src/report/dashboard/contract.js";
import { RowTable } from "./row-table.js";

export interface SampleRow {
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

const SAMPLE_SYSTEMS = ["beta", "alpha"];
const SAMPLE_DATASETS = ["one", "two"];

/** The head that goes with `createSampleChunk`. */
export function createSampleHead(total: number): RowsHead {
  return {
    schema: "assay.rows/1",
    total,
    systems: SAMPLE_SYSTEMS,
    datasets: SAMPLE_DATASETS,
    outcomes: OUTCOMES,
    categories: ERROR_CATEGORIES,
    fields: ["f1"],
  };
}

export function createSampleChunk(rows: readonly SampleRow[], start = 0): RowChunk {
  return {
    start,
    system: rows.map(({ system = "beta" }) => SAMPLE_SYSTEMS.indexOf(system)),
    dataset: rows.map(({ dataset = "one" }) => SAMPLE_DATASETS.indexOf(dataset)),
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

export function createSampleTable(rows: readonly SampleRow[]): RowTable {
  const table = new RowTable(createSampleHead(rows.length));
  table.append(createSampleChunk(rows));
  return table;
}
