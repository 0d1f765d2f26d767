import { type EvalRow, type NamedRowField, OUTCOMES, ROW_FIELD_LIST } from "../../core/index.js";
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

/** The types of fields whose lines differ from their columns: ids of two types, and names within structs. */
const LINE_TYPES: Partial<Readonly<Record<keyof EvalRow, string>>> = {
  ...TRIAL_KEY_TYPES,
  usage:
    'STRUCT("input" BIGINT, "output" BIGINT, "cacheRead" BIGINT, "cacheWrite" BIGINT, "cacheWrite1h" BIGINT, "reasoning" BIGINT)',
  attempts: 'STRUCT("errorCategory" VARCHAR, "message" VARCHAR, "durationMs" DOUBLE)[]',
  faults: 'STRUCT("kind" VARCHAR, "request" BIGINT, "recoveryMs" DOUBLE)[]',
  group: "JSON",
};

/** Reads lines of rows.jsonl. */
export const ROW_TABLE: Omit<LineTable, "files"> = {
  name: RUN_FILES.rows,
  columns: {
    ...Object.fromEntries(ROW_FIELD_LIST.map(({ name, sqlType }) => [name, LINE_TYPES[name] ?? sqlType])),
    kind: "VARCHAR",
  },
  key: TRIAL_KEY_SQL,
  isWhole: `(system is not null and "exampleId" is not null and outcome in (${OUTCOMES.map(quoteSql).join(", ")}))`,
  // Reservations and settlements.
  isOther: "(kind is not null and outcome is null)",
};

/** Columns that are not just a field with its neutral value. */
const SPECIAL_COLUMNS: Readonly<Record<string, string>> = {
  run: "f.run",
  created_at: "f.created_at",
  example_id: `"exampleId"->>'$'`,
  score: `coalesce(scores['score'], scores["primaryField"])`,
  usage: `case when usage is not null then {'input': usage."input", 'output': usage."output", 'cache_read': usage."cacheRead", 'cache_write': usage."cacheWrite", 'cache_write_1h': usage."cacheWrite1h", 'reasoning': usage."reasoning"} end`,
  faults: `list_transform(coalesce(faults, []), lambda f: {'kind': f."kind", 'request': f."request", 'recovery_ms': f."recoveryMs"})`,
  attempts: `list_transform(coalesce(attempts, []), lambda a: {'error_category': a."errorCategory", 'message': a."message", 'duration_ms': a."durationMs"})`,
  group_id: `"group"->>'$'`,
};

const FIELD_COLUMNS = Object.fromEntries(ROW_FIELD_LIST.map((field) => [field.columnName, buildFieldColumn(field)]));

/** The columns of `rows`, from raw lines joined to their files `f`. */
export function buildRowSelection(): string {
  return ROW_COLUMNS.map(([name]) => `${SPECIAL_COLUMNS[name] ?? FIELD_COLUMNS[name]} as "${name}"`).join(", ");
}

/** Neutral values are omitted from lines and restored here. */
function buildFieldColumn({ name, neutral }: NamedRowField): string {
  const restored = formatNeutralValue(neutral);
  return restored === null ? `"${name}"` : `coalesce("${name}", ${restored})`;
}

function formatNeutralValue(neutral: NamedRowField["neutral"]): string | null {
  if (neutral === undefined || neutral === null) return null;
  if (Array.isArray(neutral)) return "[]";
  if (typeof neutral === "object") return "map{}";
  return typeof neutral === "string" ? quoteSql(neutral) : String(neutral);
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
