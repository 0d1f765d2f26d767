import { OUTCOMES, type Outcome, type TrialKey } from "../../../src/core/row.js";
import { buildAddress, type RouteQuery } from "../ui/index.js";

/**
 * The address of a trial. `from` holds the filters and the order of the list that the reader comes from.
 * @example
 * buildTrialAddress("r1", { system: "echo", dataset: "one", exampleId: 1, trial: 0 }); // "#/run/r1/trial?system=echo&…"
 */
export function buildTrialAddress(
  run: string,
  { system, dataset, exampleId, trial }: TrialKey,
  from?: RouteQuery,
): string {
  return buildAddress(["run", run, "trial"], {
    system,
    dataset,
    // Ids keep their type: `1` is not `"1"`.
    example: JSON.stringify(exampleId),
    trial: String(trial),
    from: from === undefined ? undefined : formatRowList(from),
  });
}

/** The address of the first trial of an example with an outcome; the page finds out which one it is. */
export function buildOutcomeAddress(
  run: string,
  { system, dataset, exampleId }: Omit<TrialKey, "trial">,
  outcome: Outcome,
) {
  return buildAddress(["run", run, "trial"], { system, dataset, example: JSON.stringify(exampleId), ended: outcome });
}

/** A trial of the same example, in this run or in another one. */
export interface PairedTrial {
  readonly run: string;
  readonly system: string;
  readonly trial: number;
}

/**
 * The address of two trials of one example side by side.
 * @example
 * buildPairAddress("r1", trial, { system: "b", trial: 0 }); // "#/run/r1/trial?system=a&…&withSystem=b&withTrial=0"
 */
export function buildPairAddress(
  run: string,
  { system, dataset, exampleId, trial }: TrialKey,
  other: Omit<PairedTrial, "run"> & Partial<PairedTrial>,
): string {
  return buildAddress(["run", run, "trial"], {
    system,
    dataset,
    example: JSON.stringify(exampleId),
    trial: String(trial),
    withRun: other.run === run ? undefined : other.run,
    withSystem: other.system,
    withTrial: String(other.trial),
  });
}

/** The other trial of a pair; null when the address names one trial alone. */
export function parsePairedTrial(
  { withRun, withSystem, withTrial }: RouteQuery,
  run: string,
  own: TrialKey,
): PairedTrial | null {
  if (withRun === undefined && withSystem === undefined && withTrial === undefined) return null;
  const trial = Number(withTrial ?? 0);
  return { run: withRun ?? run, system: withSystem ?? own.system, trial: Number.isInteger(trial) ? trial : 0 };
}

/** The outcome in an address; null when the address has a trial number, or no outcome. */
export function parseOutcome({ trial, ended }: RouteQuery): Outcome | null {
  return trial === undefined ? (OUTCOMES.find((outcome) => outcome === ended) ?? null) : null;
}

/** Null when the address names no trial. */
export function parseTrialKey({ system = "", dataset = "", example, trial = "0" }: RouteQuery): TrialKey | null {
  const exampleId = parseExampleId(example);
  const number = Number(trial);
  return exampleId === null || !Number.isInteger(number) ? null : { system, dataset, exampleId, trial: number };
}

/** The filters and the order of the list that the reader comes from; null without a list. */
export function parseRowList({ from }: RouteQuery): RouteQuery | null {
  return from === undefined ? null : Object.fromEntries(new URLSearchParams(from));
}

/** Never empty, because a list without filters is a list too. */
function formatRowList(query: RouteQuery): string {
  const words = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return new URLSearchParams([["list", "rows"], ...words]).toString();
}

/** An id that is not JSON was typed. */
function parseExampleId(text: string | undefined): string | number | null {
  if (text === undefined) return null;
  try {
    const id: unknown = JSON.parse(text);
    return typeof id === "string" || typeof id === "number" ? id : text;
  } catch {
    return text;
  }
}
