import { DatasetError, messageOf } from "../../core/errors.js";
import { digest } from "../../core/fingerprint.js";
import type { Grade } from "../../core/grader.js";
import type { ErrorCategory, EvalRow } from "../../core/row.js";
import type { Usage } from "../../core/system.js";
import { BadRecord, grouped, isFiniteNumber, isObject } from "./fields.js";
import { contentOf, type FoundRecord, openDocument, recordsOfDocument, recordsOfLines } from "./file-content.js";
import type { ImportedTrial, ImportFormat, ReadRecord, RowFields } from "./format.js";
import type { OpenedResults, Problem } from "./open-results.js";

/** A trial and where it stands, or why a record is none. Records about no trial are passed over. */
export type FoundTrial = { readonly place: string; readonly trial: ImportedTrial } | Problem;

/**
 * The trials of all files, in the same order each time. Nothing is held: results may be larger than memory, and whoever
 * needs them twice reads them twice.
 */
export function* readTrials({ format, files }: OpenedResults): Generator<FoundTrial> {
  for (const path of files) {
    const { records, read } = recordsOf(path, format);
    for (const record of records) {
      const found = trialOf(record, (value) => read(value, path));
      if (found !== null) yield found;
    }
  }
}

function recordsOf(path: string, format: ImportFormat): { records: Iterable<FoundRecord>; read: ReadRecord } {
  const content = contentOf(path);
  if (content.kind === "lines") return { records: recordsOfLines(path), read: format.read };
  const opened = openDocument(content.document, format);
  return opened === null
    ? { records: [], read: format.read }
    : { records: recordsOfDocument(path, opened), read: opened.read };
}

type Read = (record: Readonly<Record<string, unknown>>) => ImportedTrial | null;

/** Whatever a record holds, it costs no more than itself: even an error of ours is one of its own. */
function trialOf({ place, value }: FoundRecord, read: Read): FoundTrial | null {
  try {
    const record = value();
    if (!isObject(record)) throw new BadRecord("it is not an object");
    const trial = read(record);
    return trial === null ? null : { place, trial };
  } catch (error) {
    return { place, message: messageOf(error) };
  }
}

/** Tokens as another tool reports them; null where it says nothing. */
export interface ReportedTokens {
  readonly input: number | null;
  readonly output: number | null;
  readonly cacheRead?: number | null;
  readonly cacheWrite?: number | null;
  readonly reasoning?: number | null;
  /** Whether `input` counts those of the cache as well. */
  readonly inputHoldsCache: boolean;
}

/** Usage in disjoint classes; null when nothing was reported, which all zeros say as well. */
export function usageFrom(tokens: ReportedTokens): Usage | null {
  const { input, output, cacheRead, cacheWrite, reasoning } = tokens;
  if ((input ?? 0) === 0 && (output ?? 0) === 0) return null;
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
  const isInside = tokens.inputHoldsCache && cached <= (input ?? 0);
  return {
    input: (input ?? 0) - (isInside ? cached : 0),
    output: output ?? 0,
    ...(cacheRead == null ? {} : { cacheRead }),
    ...(cacheWrite == null ? {} : { cacheWrite }),
    ...(reasoning == null ? {} : { reasoning }),
  };
}

/** The field that decides: what the other tool said, 1 or 0. */
export const VERDICT = "verdict";
/** What its graders say together, from 0 to 1. */
const WEIGHTED = "weighted_score";
/** A field called `score` would stand for the verdict in every figure. */
const RENAMED = "score_of_grader";
const MOST_SCORES = 200;

/** Scores by name; values that are no numbers are left out, since nothing can be said of them. */
export function scoresOf(entries: Iterable<readonly [string, unknown]>): Record<string, number> {
  const numbers = [...entries].filter((entry): entry is [string, number] => isFiniteNumber(entry[1]));
  const scores = numbers.filter(([name]) => name !== "" && name !== "__proto__");
  if (scores.length > MOST_SCORES) throw new BadRecord(`it has ${scores.length} scores, which no table can show`);
  return Object.fromEntries(scores);
}

interface Said {
  readonly passed: boolean;
  /** What the graders say together, where there is more than a verdict. */
  readonly score?: number | null;
  /** Scores beside it. */
  readonly others?: Iterable<readonly [string, unknown]>;
  /** Why the work ended early; it is graded all the same. */
  readonly stopped?: ErrorCategory;
}

type Outcome = Pick<RowFields, "outcome" | "errorCategory" | "scores" | "primaryField" | "passed">;

/** A trial that was graded: it passed or failed by what the other tool said, whatever its score is. */
export function graded({ passed, score = null, others = [], stopped }: Said): Outcome {
  const beside = Array.from(others, ([name, value]) => [name === "score" ? RENAMED : name, value] as const);
  const scores = scoresOf([...beside, ...(score === null ? [] : [[WEIGHTED, score] as const]), [VERDICT, +passed]]);
  return {
    outcome: passed ? "pass" : "fail",
    errorCategory: stopped ?? (passed ? "none" : "logic_error"),
    scores,
    primaryField: VERDICT,
    passed,
  };
}

/** A trial that says nothing about quality. */
export function ungraded(outcome: "error" | "unscored" | "skipped", errorCategory: ErrorCategory): Outcome {
  return { outcome, errorCategory, scores: {}, primaryField: null, passed: null };
}

/** Each grader's score under its own name, the last of those that share one. */
export function scoresOfGrades(grades: readonly Grade[]): [string, number][] {
  return grades.map(({ name, score }) => [name, score]);
}

/** What graders found, by the fields of their scores; null when they found nothing to say. */
export function evidenceOfGrades(grades: readonly Grade[], reason?: string): Record<string, string> | null {
  const said = grades.filter(({ evidence }) => evidence !== "").map(({ name, evidence }) => [name, evidence] as const);
  const all = [...said, ...(reason === undefined ? [] : [[VERDICT, reason] as const])];
  return all.length === 0 ? null : Object.fromEntries(all);
}

/** What is known of a dataset from the trials on its examples. */
export interface CollectedDataset {
  readonly name: string;
  readonly examples: number;
  readonly fingerprint: string;
  /** The systems that have trials on it. */
  readonly systems: readonly string[];
  /** How often most examples were tried by a system. */
  readonly trials: number;
  readonly primaryField: string | null;
}

interface KnownExample {
  readonly dataset: string;
  /** SHA-256 of all it holds. */
  readonly content: string;
}

/** More trials without a record than this are no gaps, but a sign that ids or systems were not read as they are meant. */
const MOST_MISSING = 1_000_000;

/** The datasets of imported rows, in the order they were met. */
export function describeDatasets(rows: readonly EvalRow[], examples: Iterable<KnownExample>): CollectedDataset[] {
  const known = grouped(examples, ({ dataset }) => dataset);
  const byDataset = grouped(rows, ({ dataset }) => dataset);
  return Array.from(byDataset, ([name, own]) => describeDataset(name, own, known.get(name) ?? []));
}

function describeDataset(name: string, rows: readonly EvalRow[], examples: readonly KnownExample[]): CollectedDataset {
  const systems = [...new Set(rows.map(({ system }) => system))];
  const trials = usualTrials(rows);
  const missing = systems.length * examples.length * trials - rows.length;
  if (missing > MOST_MISSING)
    throw new DatasetError(
      `${name || "The dataset"} has ${examples.length} examples and ${systems.length} systems, but only ${rows.length} trials: most systems have other examples. Import them file by file.`,
    );
  return {
    name,
    examples: examples.length,
    fingerprint: digest(examples.map(({ content }) => content).sort()),
    systems,
    trials,
    primaryField: rows.find(({ primaryField }) => primaryField !== null)?.primaryField ?? null,
  };
}

/** The most common number of trials; of two that are as common, the larger. */
function usualTrials(rows: readonly EvalRow[]): number {
  const slots = grouped(rows, ({ system, exampleId }) => JSON.stringify([system, exampleId]));
  const counts = grouped(slots.values(), (own) => own.length);
  const common = Array.from(counts, ([trials, slotsWith]) => ({ trials, times: slotsWith.length }));
  return common.toSorted((a, b) => b.times - a.times || b.trials - a.trials)[0]?.trials ?? 1;
}
