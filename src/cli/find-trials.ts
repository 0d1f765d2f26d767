import { didYouMean, type EvalConfig, type EvalRow, findClosestName, OUTCOMES, UsageError } from "../core/index.js";
import { formatPlural, formatTrialName } from "../report/index.js";

/** Flags that select trials. */
export interface TrialFilter {
  system?: string;
  dataset?: string;
  outcome?: string;
}

/** Limits the trials that are named, and the ids that are compared for a suggestion. */
const MAX_OFFERED = 20;
const MAX_COMPARED = 5000;

/** The rows that flags select. Throws if a flag names something that the run does not have. */
export function filterTrials(rows: readonly EvalRow[], narrowing: TrialFilter, config: EvalConfig): EvalRow[] {
  const { system, dataset, outcome } = narrowing;
  requireKnownName("system", system, config.systems);
  requireKnownName("outcome", outcome, OUTCOMES);
  const tags = config.datasets.find(({ name }) => name === dataset)?.tags ?? [];
  if (tags.length === 0) requireKnownName("dataset", dataset, new Set(rows.map((row) => row.dataset)));
  return rows.filter(
    (row) =>
      (system === undefined || row.system === system) &&
      (outcome === undefined || row.outcome === outcome) &&
      (dataset === undefined || row.dataset === dataset || tags.includes(row.dataset)),
  );
}

function requireKnownName(what: string, name: string | undefined, known: Iterable<string>): void {
  if (name === undefined || [...known].includes(name)) return;
  throw new UsageError(`The run has no ${what} "${name}".${didYouMean(name, known)}`);
}

/** Trials that a user names. */
export interface TrialChoice {
  /** An example id, or `ID#N` for its trial N. */
  trial: string;
  rows: readonly EvalRow[];
  /** The command that lists them, such as `assay show 20261115-213334-needle`. */
  command: string;
}

/** All rows of the named example or trial; throws if there is none. */
export function findTrials({ trial, rows, command }: TrialChoice): [EvalRow, ...EvalRow[]] {
  // An id may itself end in #N: its trials can always be named with one more.
  const exact = rows.filter((row) => formatTrialName(row) === trial);
  const [first, ...others] = exact.length > 0 ? exact : rows.filter(({ exampleId }) => String(exampleId) === trial);
  if (first === undefined) throw createUnknownTrialError({ trial, rows, command });
  return [first, ...others];
}

function createUnknownTrialError({ trial, rows, command }: TrialChoice): UsageError {
  const id = trial.replace(/#\d+$/, "");
  const same = rows.filter(({ exampleId }) => String(exampleId) === id);
  if (same.length > 0) {
    const names = [...new Set(same.map(formatTrialName))].slice(0, MAX_OFFERED);
    return new UsageError(`The run has no trial "${trial}". Of that example there ${chooseVerb(names)}.`);
  }
  const ids = [...new Set(rows.slice(0, MAX_COMPARED).map(({ exampleId }) => String(exampleId)))];
  const guess = findClosestName(id, ids);
  const hint = guess === undefined ? "" : ` Did you mean "${guess}"?`;
  const among = rows.length === 0 ? "none match" : `among ${formatPlural(rows.length, "trial")}`;
  return new UsageError(`The run has no trial "${trial}" (${among}).${hint} List them with: ${command} --all`);
}

function chooseVerb(names: readonly string[]): string {
  return `${names.length === 1 ? "is" : "are"} ${names.join(", ")}`;
}
