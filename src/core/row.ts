import type { InjectedFault } from "./faults.js";
import type { Usage } from "./system.js";

/** All outcomes of a planned trial. */
export const OUTCOMES = ["pass", "fail", "error", "unscored", "skipped"] as const;

/** How a planned trial ended. Every planned trial has exactly one. */
export type Outcome = (typeof OUTCOMES)[number];

/** All error categories of a row. */
export const ERROR_CATEGORIES = [
  "none",
  "logic_error",
  "cost_killed",
  "time_killed",
  "refused",
  "truncated",
  "api_error",
  "rate_limit",
  "timeout",
  "system_error",
  "grader_error",
  "skipped",
] as const;

/** Why a trial did not pass; `none` when it did. */
export type ErrorCategory = (typeof ERROR_CATEGORIES)[number];

/** The source of a row's cost: the provider's bill, price times usage, an estimate, or unknown. */
export type CostSource = "provider" | "priced" | "batch" | "estimated" | "unknown";

/** A call of the system that failed before the trial had an output. */
export interface Attempt {
  errorCategory: ErrorCategory;
  message: string;
  durationMs: number;
}

/** A value of a facet. */
export type FacetValue = string | number | boolean;

/** Example fields to break results down by, e.g. `{ subject: "anatomy" }`. */
export type Facets = Readonly<Record<string, FacetValue>>;

/** The unit of a value: dollars, seconds, milliseconds, a number of things, or things per second. */
export type FactUnit = "usd" | "seconds" | "ms" | "count" | "rate";

/** A field that is shown by itself rather than in a sentence with others. */
interface RowFact {
  readonly unit: FactUnit;
  /** Its label on the trial page. */
  readonly page?: string;
  /** Its label in `assay show`: at most 9 characters. */
  readonly show?: string;
}

/** How a field is stored and shown. */
interface RowFieldOptions {
  /** The DuckDB type of its column. */
  readonly sqlType: string;
  /** Describes its column, in `assay query --schema` and docs/guides/history.md. */
  readonly about: string;
  /** The name of its column, if it is not the field's own in snake_case. */
  readonly columnName?: string;
  /** Written to the journal even if its value is neutral. */
  readonly isAlwaysWritten?: boolean;
  readonly fact?: RowFact;
}

interface RowField<Value> extends RowFieldOptions {
  /** Never set: carries the type of the field. */
  readonly value?: Value;
}

function defineField<Value>(options: RowFieldOptions): RowField<Value> {
  return options;
}

/**
 * The fields of a row, in the order of the SQL columns and the docs. The type of rows, the journal, the SQL views, the
 * tables in the docs and the facts of a trial are derived from it. Editors and docs/reference/json-report.md show the doc
 * comments. `makeRow` has the neutral values. After a change: `npm run docs:rows`.
 */
const ROW_FIELD_TABLE = {
  /** Name of the system. */
  system: defineField<string>({ sqlType: "VARCHAR", about: "the system", isAlwaysWritten: true }),
  /** Name of the example's dataset; `""` if it has none. */
  dataset: defineField<string>({ sqlType: "VARCHAR", about: "the dataset of the example", isAlwaysWritten: true }),
  /** Id of the example. */
  exampleId: defineField<string | number>({
    sqlType: "VARCHAR",
    about: "the example; numbers as text",
    isAlwaysWritten: true,
  }),
  /** Number of the trial of its example, from 0. */
  trial: defineField<number>({
    sqlType: "BIGINT",
    about: "the trial number of the example, from 0",
    isAlwaysWritten: true,
  }),
  /** How it ended: `pass`, `fail`, `error`, `unscored` or `skipped`. */
  outcome: defineField<Outcome>({
    sqlType: "VARCHAR",
    about: "pass, fail, error, unscored or skipped",
    isAlwaysWritten: true,
  }),
  /** What went wrong; `none` if nothing did. */
  errorCategory: defineField<ErrorCategory>({
    sqlType: "VARCHAR",
    about: "the error category; none if there was no error",
    isAlwaysWritten: true,
  }),
  /** Scores from evaluators by field, each in [0, 1]. */
  scores: defineField<Record<string, number>>({
    sqlType: "MAP(VARCHAR, DOUBLE)",
    about: "all scores: scores['f1']",
    isAlwaysWritten: true,
  }),
  /** Numbers from evaluators with any range, such as a number of characters. Averaged, but they decide nothing. */
  measures: defineField<Readonly<Record<string, number>>>({
    sqlType: "MAP(VARCHAR, DOUBLE)",
    about: "values that do not decide pass or fail: measures['characters']",
  }),
  /** The field that decided pass or fail; null if none did. */
  primaryField: defineField<string | null>({
    sqlType: "VARCHAR",
    about: "the score that decided pass or fail",
  }),
  /** Whether it passed; null if undecided. */
  passed: defineField<boolean | null>({ sqlType: "BOOLEAN", about: "NULL if undecided" }),
  /** Tokens of the input, counted locally. */
  inputTokens: defineField<number>({
    sqlType: "BIGINT",
    about: "tokens of the system's input",
    isAlwaysWritten: true,
  }),
  /** Tokens of the output, counted locally. */
  outputTokens: defineField<number>({
    sqlType: "BIGINT",
    about: "tokens of the system's output",
    isAlwaysWritten: true,
  }),
  /**
   * Tokens as reported: `input`, `output`, `cacheRead`, `cacheWrite`, `cacheWrite1h` (part of `cacheWrite`), `reasoning`
   * (part of `output`). Null if nothing was reported.
   */
  usage: defineField<Usage | null>({
    sqlType:
      'STRUCT("input" BIGINT, "output" BIGINT, cache_read BIGINT, cache_write BIGINT, cache_write_1h BIGINT, reasoning BIGINT)',
    about: "tokens as billed: usage.input; NULL if not reported",
  }),
  /** Cost in dollars: as reported, else tokens × price; null if unknown. */
  costUsd: defineField<number | null>({
    sqlType: "DOUBLE",
    about: "the cost of the trial; NULL if unknown",
  }),
  /**
   * Source of `costUsd`: `provider` (reported), `priced` (reported tokens × price), `batch` (reported tokens × batch price),
   * `estimated` (some tokens were counted locally) or `unknown`.
   */
  costSource: defineField<CostSource>({
    sqlType: "VARCHAR",
    about: "provider, priced, batch, estimated or unknown",
  }),
  /** By how much the final bill exceeds the trial's limit, in dollars; null if it does not. */
  overshootUsd: defineField<number | null>({
    sqlType: "DOUBLE",
    about: "by how much the cost exceeded the limit",
  }),
  /** Cost of scoring, such as judge calls; not part of `costUsd`. Null if nothing was spent or the cost is unknown. */
  judgeCostUsd: defineField<number | null>({
    sqlType: "DOUBLE",
    about: "the cost of scoring, not part of cost_usd",
    fact: { unit: "usd", show: "judging" },
  }),
  /**
   * Cost of a simulated user; not part of `costUsd`. Null if nothing was spent or the cost is unknown.
   */
  userCostUsd: defineField<number | null>({
    sqlType: "DOUBLE",
    about: "the cost of a simulated user, not part of cost_usd",
    fact: { unit: "usd", show: "user" },
  }),
  /** True if usage or cost is known to be incomplete. */
  partial: defineField<boolean>({ sqlType: "BOOLEAN", about: "usage or cost is known to be incomplete" }),
  /** True if the output came from the cache, a recording or the run that was graded, so this run did not pay for it. */
  cached: defineField<boolean>({ sqlType: "BOOLEAN", about: "the output came from the cache or a recording" }),
  /** Seconds inside `System.process`, or as the system reported. */
  latency: defineField<number | null>({
    sqlType: "DOUBLE",
    about: "seconds inside the system",
    fact: { unit: "seconds", page: "Latency" },
  }),
  /**
   * Milliseconds from admission to the end of the system's work, with failed calls and the waits between them; without
   * the wait for a slot.
   */
  durationMs: defineField<number | null>({
    sqlType: "DOUBLE",
    about: "from admission to the end of the work, including retries",
    fact: { unit: "ms", page: "Duration" },
  }),
  /** Milliseconds to the first token, as the system reported. */
  ttftMs: defineField<number | null>({
    sqlType: "DOUBLE",
    about: "until the first token",
    fact: { unit: "ms", page: "First token" },
  }),
  /** Milliseconds to the first edit, otherwise to the first text, as the system reported. */
  firstAttemptMs: defineField<number | null>({
    sqlType: "DOUBLE",
    about: "until the first edit, otherwise the first text",
    fact: { unit: "ms", page: "First attempt" },
  }),
  /** Milliseconds until the work would have passed, as the system reported; null if not measured. */
  successAtMs: defineField<number | null>({
    sqlType: "DOUBLE",
    about: "until the graders passed it; NULL if not measured",
    fact: { unit: "ms", page: "Success" },
  }),
  /** Turns taken, as the system reported. */
  turns: defineField<number | null>({
    sqlType: "BIGINT",
    about: "turns taken",
    fact: { unit: "count", page: "Turns" },
  }),
  /** Output tokens per second of generation, as the system reported. */
  tokensPerSec: defineField<number | null>({
    sqlType: "DOUBLE",
    about: "output tokens per second of generation",
    fact: { unit: "rate", page: "Tokens per second" },
  }),
  /** The first running cost above the limit, in dollars; 0 for a trial that was not stopped for its cost. */
  costKilledAt: defineField<number>({
    sqlType: "DOUBLE",
    about: "cost at which it was stopped by its budget; 0 if it was not",
  }),
  /** Failed calls, including those that were retried: `errorCategory`, `message`, `durationMs`. */
  attempts: defineField<readonly Attempt[]>({
    sqlType: "STRUCT(error_category VARCHAR, message VARCHAR, duration_ms DOUBLE)[]",
    about: "failed calls before the output",
  }),
  /**
   * Faults that a stress test injected into its model calls: `kind`, `request` (the number of the call, from 0) and
   * `recoveryMs` (until the end of the next complete answer; null if none came, and for mere delays).
   */
  faults: defineField<readonly InjectedFault[]>({
    sqlType: "STRUCT(kind VARCHAR, request BIGINT, recovery_ms DOUBLE)[]",
    about: "faults injected by a stress test",
  }),
  /** How sure the system said it was that its answer is right, in [0, 1]; null if it did not say. */
  confidence: defineField<number | null>({
    sqlType: "DOUBLE",
    about: "confidence stated by the system, in [0, 1]",
  }),
  /** What the system logged, what evaluators could not decide, `slow: …` for a trial slower than expected of its model. */
  notes: defineField<readonly string[]>({ sqlType: "VARCHAR[]", about: "notes about the trial" }),
  /** As the system returned it, and `judgeUsage`: a judge's tokens, with the fields of `usage`. */
  metadata: defineField<Readonly<Record<string, unknown>> | null>({
    sqlType: "JSON",
    about: "metadata of the system: metadata->>'model'",
  }),
  /**
   * Fields of the example by which its dataset breaks down results, such as `subject`: name → text, number or boolean.
   * Copied from the example, so that a stored run can be broken down without its examples.
   */
  facets: defineField<Facets | null>({
    sqlType: "JSON",
    about: "facets of the example: facets->>'subject'",
  }),
  /**
   * What the example shares with others of its dataset, such as a conversation, by the dataset's `groupBy`. Rows of one
   * group are not independent. Null in rows of older versions.
   */
  group: defineField<string | number | null>({
    sqlType: "VARCHAR",
    about: "the group of the example",
    // `group` is an SQL keyword.
    columnName: "group_id",
  }),
};

type FieldValues<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends RowField<infer Value> ? Value : never;
};

/** One finished trial. What was not measured is null, never 0. */
export interface EvalRow extends FieldValues<typeof ROW_FIELD_TABLE> {}

/** Identifies a trial within a run. */
export type TrialKey = Pick<EvalRow, "system" | "dataset" | "exampleId" | "trial">;

/** First word of the note on a trial that was slower than expected for its model. */
export const SLOW_NOTE = "slow";

/** First words of the note on a trial that called another model than requested. */
export const OTHER_MODEL_NOTE = "another model";

/** First words of the note on a trial whose model rejected a request parameter. */
export const SENT_WITHOUT_NOTE = "sent without";

/** The note on rows of a stress test whose answer has no confidence, although one was asked for. */
export const NO_CONFIDENCE_NOTE = "no confidence was stated";

const REQUIRED_FIELDS = ["system", "exampleId", "outcome"] as const;

/** The fields of a row; those without a neutral value are required. */
export type RowInit = Partial<EvalRow> & Pick<EvalRow, (typeof REQUIRED_FIELDS)[number]>;

const NO_MEASURES: EvalRow["measures"] = Object.freeze({});
const EMPTY_LIST: readonly never[] = Object.freeze([]);

/**
 * Creates a row from the known fields; the others get a neutral value, null where 0 would be a claim.
 * @example
 * makeRow({ system: "s", exampleId: 1, outcome: "pass", scores: { f1: 1 }, passed: true });
 */
export function makeRow(known: RowInit): EvalRow {
  // A literal with constants, in the order of the journal: rows keep one shape. Neutral values out of the table would make
  // decoding a fifth slower, a loop over it a third.
  return {
    system: known.system,
    dataset: known.dataset ?? "",
    exampleId: known.exampleId,
    trial: known.trial ?? 0,
    outcome: known.outcome,
    errorCategory: known.errorCategory ?? "none",
    scores: known.scores ?? {},
    primaryField: known.primaryField ?? null,
    passed: known.passed ?? null,
    inputTokens: known.inputTokens ?? 0,
    outputTokens: known.outputTokens ?? 0,
    latency: known.latency ?? null,
    durationMs: known.durationMs ?? null,
    measures: known.measures ?? NO_MEASURES,
    usage: known.usage ?? null,
    costUsd: known.costUsd ?? null,
    costSource: known.costSource ?? "unknown",
    overshootUsd: known.overshootUsd ?? null,
    judgeCostUsd: known.judgeCostUsd ?? null,
    userCostUsd: known.userCostUsd ?? null,
    partial: known.partial ?? false,
    cached: known.cached ?? false,
    ttftMs: known.ttftMs ?? null,
    firstAttemptMs: known.firstAttemptMs ?? null,
    successAtMs: known.successAtMs ?? null,
    turns: known.turns ?? null,
    tokensPerSec: known.tokensPerSec ?? null,
    costKilledAt: known.costKilledAt ?? 0,
    attempts: known.attempts ?? EMPTY_LIST,
    faults: known.faults ?? EMPTY_LIST,
    confidence: known.confidence ?? null,
    notes: known.notes ?? EMPTY_LIST,
    metadata: known.metadata ?? null,
    facets: known.facets ?? null,
    group: known.group ?? null,
  };
}

const NEUTRAL_ROW = makeRow({ system: "", exampleId: "", outcome: "skipped" });

/** Every field of a row, in the order it is written. */
export const ROW_FIELDS = Object.keys(NEUTRAL_ROW) as readonly (keyof EvalRow)[];

/** A field of the table with what follows from its name. */
export interface NamedRowField extends RowFieldOptions {
  readonly name: keyof EvalRow;
  readonly columnName: string;
  /** The value if nothing is known; undefined if every row must have the field. */
  readonly neutral: EvalRow[keyof EvalRow] | undefined;
}

/** The table as a list. */
export const ROW_FIELD_LIST: readonly NamedRowField[] = Object.entries(ROW_FIELD_TABLE).map(([key, field]) => {
  const name = key as keyof EvalRow;
  const isRequired = (REQUIRED_FIELDS as readonly string[]).includes(name);
  return { columnName: toSnakeCase(name), ...field, name, neutral: isRequired ? undefined : NEUTRAL_ROW[name] };
});

function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** True if the output was graded, so that the row counts toward quality. */
export function isScored(row: EvalRow): boolean {
  return row.outcome === "pass" || row.outcome === "fail";
}

/** The systems that are agents: the tokens of their prompt and last message are not those of their work. */
export function listAgentSystems(rows: readonly EvalRow[]): Set<string> {
  const agents = new Set<string>();
  for (let i = 0; i < rows.length; i++) {
    const { metadata, system } = rows[i] as EvalRow;
    if (metadata !== null && typeof metadata?.agent === "string") agents.add(system);
  }
  return agents;
}

/** True if the system returned an output. */
export function hasOutput(row: EvalRow): boolean {
  return row.outcome !== "error" && row.outcome !== "skipped";
}

/** Returns a score of a row. `"score"` is the primary score: the evaluator's own `score`, else the primary field. */
export function getScore(row: EvalRow, field: string): number | undefined {
  const own = row.scores[field];
  // Prototype values are never numbers, so skip the slower hasOwn check.
  if (typeof own === "number") return own;
  if (field !== "score" || row.primaryField == null) return undefined;
  return row.scores[row.primaryField];
}

/** Prefix of the names of measures in summaries and comparisons. */
export const MEASURE_PREFIX = "measure:";

/**
 * Returns a measure of a row. An evaluator that does not separate measures from scores may return a value inside [0, 1]
 * on one row and outside on another; both are the same measure.
 */
export function getMeasure({ measures, scores }: EvalRow, field: string): number | undefined {
  if (measures != null && Object.hasOwn(measures, field)) return measures[field];
  return Object.hasOwn(scores, field) ? scores[field] : undefined;
}
