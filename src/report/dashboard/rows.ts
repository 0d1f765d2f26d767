import { ERROR_CATEGORIES, type EvalRow, getMeasure, getScore, OUTCOMES } from "../../core/index.js";
import type { RowChunk, RowsHead } from "./contract.js";
import { listErrorTags } from "./errors.js";

/** Small enough that a browser reads a chunk without a pause. */
const ROWS_IN_CHUNK = 2000;

/**
 * Serializes rows as JSON lines: the head, then chunks of rows in columns.
 * @example
 * for (const line of serializeRowLines(result.rows)) response.write(line);
 */
export function* serializeRowLines(rows: readonly EvalRow[]): Generator<string> {
  const head = buildRowsHead(rows);
  yield `${JSON.stringify(head)}\n`;
  for (const chunk of buildRowChunks(rows, head)) yield `${JSON.stringify(chunk)}\n`;
}

/** The names that the indexes in the chunks refer to. */
export function buildRowsHead(rows: readonly EvalRow[]): RowsHead {
  const systems = new Set<string>();
  const datasets = new Set<string>();
  const fields = new Set<string>();
  for (const { system, dataset, scores, measures } of rows) {
    systems.add(system);
    datasets.add(dataset);
    for (const field in scores) fields.add(field);
    for (const field in measures) fields.add(field);
  }
  return {
    schema: "assay.rows/1",
    total: rows.length,
    systems: [...systems],
    datasets: [...datasets],
    outcomes: OUTCOMES,
    categories: ERROR_CATEGORIES,
    fields: [...fields],
  };
}

export function* buildRowChunks(rows: readonly EvalRow[], head: RowsHead): Generator<RowChunk> {
  const places = indexHeadNames(head);
  for (let start = 0; start < rows.length; start += ROWS_IN_CHUNK)
    yield buildRowChunk(rows.slice(start, start + ROWS_IN_CHUNK), { start, head, places });
}

type NameIndexes = Readonly<Record<"systems" | "datasets" | "outcomes" | "categories", ReadonlyMap<string, number>>>;

function indexHeadNames({ systems, datasets, outcomes, categories }: RowsHead): NameIndexes {
  return {
    systems: indexNames(systems),
    datasets: indexNames(datasets),
    outcomes: indexNames(outcomes),
    categories: indexNames(categories),
  };
}

function indexNames(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map(names.map((name, place) => [name, place]));
}

interface ChunkContext {
  start: number;
  head: RowsHead;
  places: NameIndexes;
}

function buildRowChunk(rows: readonly EvalRow[], { start, head, places }: ChunkContext): RowChunk {
  return {
    start,
    system: rows.map(({ system }) => places.systems.get(system) ?? -1),
    dataset: rows.map(({ dataset }) => places.datasets.get(dataset) ?? -1),
    outcome: rows.map(({ outcome }) => places.outcomes.get(outcome) ?? -1),
    category: rows.map(({ errorCategory }) => places.categories.get(errorCategory) ?? -1),
    id: rows.map(({ exampleId }) => exampleId),
    trial: rows.map(({ trial }) => trial),
    score: rows.map((row) => toFiniteCell(getScore(row, "score"))),
    costUsd: rows.map(({ costUsd }) => toFiniteCell(costUsd)),
    latency: rows.map(({ latency }) => toFiniteCell(latency)),
    inputTokens: rows.map(({ inputTokens }) => inputTokens),
    outputTokens: rows.map(({ outputTokens }) => outputTokens),
    turns: rows.map(({ turns }) => toFiniteCell(turns)),
    attempts: rows.map(({ attempts }) => attempts.length),
    scores: head.fields.map((field) => rows.map((row) => toFiniteCell(getMeasure(row, field)))),
    tags: rows.map(listRowTags),
  };
}

function toFiniteCell(value: number | null | undefined): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

function listRowTags(row: EvalRow): string[] {
  const facets = Object.entries(row.facets ?? {}).map(([field, value]) => `${field}=${value}`);
  return [...facets, ...listErrorTags(row)];
}
