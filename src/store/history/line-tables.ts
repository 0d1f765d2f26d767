import { OUTCOMES } from "../../core/index.js";
import { EXAMPLES_FILE } from "../examples.js";
import { RUN_FILES } from "../journal.js";
import type { LineTable } from "./line-source.js";
import { ROW_COLUMNS } from "./schema.js";
import { quoteSql } from "./sql-error.js";

/** The fields that identify a trial, as in its lines. Ids are JSON: `1` and `"1"` are two examples. */
const TRIAL_KEY_TYPES = {
  system: "VARCHAR",
  dataset: "VARCHAR",
  exampleId: "JSON",
  trial: "BIGINT",
} as const;

/** The same in SQL, with defaults for missing fields. */
export const TRIAL_KEY_SQL = ["system", "coalesce(dataset, '')", '"exampleId"', "coalesce(trial, 0)"];

/** Reads lines of rows.jsonl. */
export const ROW_TABLE: Omit<LineTable, "files"> = {
  name: RUN_FILES.rows,
  columns: {
    ...TRIAL_KEY_TYPES,
    outcome: "VARCHAR",
    errorCategory: "VARCHAR",
    scores: "MAP(VARCHAR, DOUBLE)",
    measures: "MAP(VARCHAR, DOUBLE)",
    primaryField: "VARCHAR",
    passed: "BOOLEAN",
    inputTokens: "BIGINT",
    outputTokens: "BIGINT",
    usage:
      'STRUCT("input" BIGINT, "output" BIGINT, "cacheRead" BIGINT, "cacheWrite" BIGINT, "cacheWrite1h" BIGINT, "reasoning" BIGINT)',
    costUsd: "DOUBLE",
    costSource: "VARCHAR",
    overshootUsd: "DOUBLE",
    judgeCostUsd: "DOUBLE",
    partial: "BOOLEAN",
    cached: "BOOLEAN",
    latency: "DOUBLE",
    durationMs: "DOUBLE",
    ttftMs: "DOUBLE",
    firstAttemptMs: "DOUBLE",
    successAtMs: "DOUBLE",
    turns: "BIGINT",
    tokensPerSec: "DOUBLE",
    costKilledAt: "DOUBLE",
    attempts: 'STRUCT("errorCategory" VARCHAR, "message" VARCHAR, "durationMs" DOUBLE)[]',
    notes: "VARCHAR[]",
    metadata: "JSON",
    facets: "JSON",
    group: "JSON",
    kind: "VARCHAR",
  },
  key: TRIAL_KEY_SQL,
  isWhole: `(system is not null and "exampleId" is not null and outcome in (${OUTCOMES.map(quoteSql).join(", ")}))`,
  // Reservations and settlements.
  isOther: "(kind is not null and outcome is null)",
};

/** Columns that are not just a renamed field. Default values are omitted from lines and restored here. */
const SPECIAL_COLUMNS: Readonly<Record<string, string>> = {
  run: "f.run",
  created_at: "f.created_at",
  dataset: "coalesce(dataset, '')",
  example_id: `"exampleId"->>'$'`,
  trial: "coalesce(trial, 0)",
  error_category: `coalesce("errorCategory", 'none')`,
  score: `coalesce(scores['score'], scores["primaryField"])`,
  scores: "coalesce(scores, map{})",
  measures: "coalesce(measures, map{})",
  input_tokens: 'coalesce("inputTokens", 0)',
  output_tokens: 'coalesce("outputTokens", 0)',
  usage: `case when usage is not null then {'input': usage."input", 'output': usage."output", 'cache_read': usage."cacheRead", 'cache_write': usage."cacheWrite", 'cache_write_1h': usage."cacheWrite1h", 'reasoning': usage."reasoning"} end`,
  cost_source: `coalesce("costSource", 'unknown')`,
  partial: "coalesce(partial, false)",
  cached: "coalesce(cached, false)",
  cost_killed_at: 'coalesce("costKilledAt", 0)',
  attempts: `list_transform(coalesce(attempts, []), lambda a: {'error_category': a."errorCategory", 'message': a."message", 'duration_ms': a."durationMs"})`,
  notes: "coalesce(notes, [])",
  group_id: `"group"->>'$'`,
};

/** The columns of `rows`, from raw lines joined to their files `f`. */
export function buildRowSelection(): string {
  const columns = ROW_COLUMNS.map(([name]) => `${SPECIAL_COLUMNS[name] ?? `"${toCamelCaseName(name)}"`} as "${name}"`);
  return columns.join(", ");
}

function toCamelCaseName(name: string): string {
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The fields of an output with their types. */
export const OUTPUT_FIELD_TYPES = { output: "JSON", evidence: "JSON", grades: "JSON" } as const;

/** Reads lines of outputs.jsonl. */
export const OUTPUT_TABLE: Omit<LineTable, "files"> = {
  name: RUN_FILES.outputs,
  columns: { ...TRIAL_KEY_TYPES, ...OUTPUT_FIELD_TYPES, file: "VARCHAR" },
  key: TRIAL_KEY_SQL,
  isWhole: '(system is not null and "exampleId" is not null)',
};

/** Reads lines of examples.jsonl. */
export const EXAMPLE_TABLE: Omit<LineTable, "files"> = {
  name: EXAMPLES_FILE,
  columns: { dataset: "VARCHAR", id: "JSON", question: "VARCHAR", answer: "VARCHAR", answers: "VARCHAR[]" },
  key: ["coalesce(dataset, '')", "id"],
  isWhole: "(id is not null)",
};
