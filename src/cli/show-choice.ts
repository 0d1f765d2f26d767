import { UsageError } from "../core/errors.js";
import type { EvalConfig } from "../core/result.js";
import { type EvalRow, OUTCOMES } from "../core/row.js";
import { didYouMean, nearest } from "../core/suggest.js";
import { plural } from "../report/format.js";
import { trialName } from "../report/trial-table.js";

/** Which trials are meant, besides their example. */
export interface Narrowing {
  system?: string;
  dataset?: string;
  outcome?: string;
}

/** At most this many trials are offered, and ids looked at for one that is spelled alike. */
const MOST_OFFERED = 20;
const MOST_COMPARED = 5000;

/** The rows that are meant by flags, or an error when a flag names what the run does not have. */
export function narrowed(rows: readonly EvalRow[], narrowing: Narrowing, config: EvalConfig): EvalRow[] {
  const { system, dataset, outcome } = narrowing;
  requireKnown("system", system, config.systems);
  requireKnown("outcome", outcome, OUTCOMES);
  const tags = config.datasets.find(({ name }) => name === dataset)?.tags ?? [];
  if (tags.length === 0) requireKnown("dataset", dataset, new Set(rows.map((row) => row.dataset)));
  return rows.filter(
    (row) =>
      (system === undefined || row.system === system) &&
      (outcome === undefined || row.outcome === outcome) &&
      (dataset === undefined || row.dataset === dataset || tags.includes(row.dataset)),
  );
}

function requireKnown(what: string, name: string | undefined, known: Iterable<string>): void {
  if (name === undefined || [...known].includes(name)) return;
  throw new UsageError(`The run has no ${what} "${name}".${didYouMean(name, known)}`);
}

/** What is looked for, in what, and how the command was called up to there. */
export interface Choice {
  /** An example's id, or `ID#N` for its trial N. */
  trial: string;
  rows: readonly EvalRow[];
  /** Such as `assay show 20261115-213334-needle`. */
  command: string;
}

/** The one trial that is meant, or an error that says how to name one. */
export function chooseTrial({ trial, rows, command }: Choice): EvalRow {
  // An id may end like a number of a trial: its own trials can always be named with one more.
  const exact = rows.filter((row) => trialName(row) === trial);
  const found = exact.length > 0 ? exact : rows.filter(({ exampleId }) => String(exampleId) === trial);
  const [only, ...others] = found;
  if (only === undefined) throw notFound({ trial, rows, command });
  if (others.length > 0) throw ambiguous({ trial, rows: found, command });
  return only;
}

function ambiguous({ trial, rows, command }: Choice): UsageError {
  const offered = rows.slice(0, MOST_OFFERED).map((row) => `  ${asTyped(row, { trial, rows, command })}`);
  const more = rows.length - offered.length;
  const rest = more > 0 ? [`  and ${more} more`] : [];
  return new UsageError([`"${trial}" names ${rows.length} trials. Choose one:`, ...offered, ...rest].join("\n"));
}

/** The command that shows one of several trials, with no more flags than it takes to tell them apart. */
function asTyped(row: EvalRow, { rows, command }: Choice): string {
  const differs = (field: "system" | "dataset") => rows.some((other) => other[field] !== row[field]);
  const flags = [
    ...(differs("system") ? ["--system", quoted(row.system)] : []),
    ...(differs("dataset") ? ["--dataset", quoted(row.dataset)] : []),
  ];
  const name = trialName(row);
  const words = name.startsWith("-") ? [...flags, "--", quoted(name)] : [quoted(name), ...flags];
  return [command, ...words].join(" ");
}

function notFound({ trial, rows, command }: Choice): UsageError {
  const id = trial.replace(/#\d+$/, "");
  const same = rows.filter(({ exampleId }) => String(exampleId) === id);
  if (same.length > 0) {
    const names = [...new Set(same.map(trialName))].slice(0, MOST_OFFERED);
    return new UsageError(`There is no trial "${trial}" in the run. Of that example there ${isOrAre(names)}.`);
  }
  const ids = [...new Set(rows.slice(0, MOST_COMPARED).map(({ exampleId }) => String(exampleId)))];
  const guess = nearest(id, ids);
  const hint = guess === undefined ? "" : ` Did you mean "${guess}"?`;
  const among = rows.length === 0 ? "none fits" : `among ${plural(rows.length, "trial")}`;
  return new UsageError(`There is no trial "${trial}" (${among}).${hint} List them with: ${command} --all`);
}

function isOrAre(names: readonly string[]): string {
  return `${names.length === 1 ? "is" : "are"} ${names.join(", ")}`;
}

/**
 * A word as a shell takes it.
 * @example
 * quoted("it's"); // "'it'\\''s'"
 */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-][\w@%+=:,./#-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
