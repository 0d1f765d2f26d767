import { OUTCOMES, type Outcome, type TrialKey } from "../../../src/core/row.js";
import { buildAddress, type RouteQuery } from "../ui/index.js";

/**
 * The address of a trial. `from` is the list of rows that the reader comes from: its filters and its order.
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
    // Numbers and texts are different ids: `1` is not `"1"`.
    example: JSON.stringify(exampleId),
    trial: String(trial),
    from: from === undefined ? undefined : formatRowList(from),
  });
}

/** The address of the first trial of an example that ended in a way; which one that is, is found out there. */
export function buildOutcomeAddress(
  run: string,
  { system, dataset, exampleId }: Omit<TrialKey, "trial">,
  outcome: Outcome,
) {
  return buildAddress(["run", run, "trial"], { system, dataset, example: JSON.stringify(exampleId), ended: outcome });
}

/** How the trial should have ended that an address asks for; null when it names one by its number, or says nothing. */
export function parseOutcome({ trial, ended }: RouteQuery): Outcome | null {
  return trial === undefined ? (OUTCOMES.find((outcome) => outcome === ended) ?? null) : null;
}

/** The trial that an address names; null when it names none. */
export function parseTrialKey({ system = "", dataset = "", example, trial = "0" }: RouteQuery): TrialKey | null {
  const exampleId = parseExampleId(example);
  const number = Number(trial);
  return exampleId === null || !Number.isInteger(number) ? null : { system, dataset, exampleId, trial: number };
}

/** The filters and the order of the list that an address says the reader comes from; null when it says none. */
export function parseRowList({ from }: RouteQuery): RouteQuery | null {
  return from === undefined ? null : Object.fromEntries(new URLSearchParams(from));
}

/** The words of a list in one; never empty, because a list without filters is one too. */
function formatRowList(query: RouteQuery): string {
  const words = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return new URLSearchParams([["list", "rows"], ...words]).toString();
}

/** An id that is no JSON is one that somebody typed. */
function parseExampleId(text: string | undefined): string | number | null {
  if (text === undefined) return null;
  try {
    const id: unknown = JSON.parse(text);
    return typeof id === "string" || typeof id === "number" ? id : text;
  } catch {
    return text;
  }
}
