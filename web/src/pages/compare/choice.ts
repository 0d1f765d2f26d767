import type { RunCard } from "../../../../src/report/dashboard/contract.js";
import type { ComparisonQuery } from "../../data/source.js";
import type { RouteQuery } from "../../shell/route.js";

/** What the reader has chosen to compare, as far as they have. */
export interface CompareChoice {
  readonly a: RunCard | null;
  readonly b: RunCard | null;
  readonly systemA: string;
  readonly systemB: string;
}

/**
 * The runs and systems that an address names. A run that stands alone is compared with itself, by the two systems that
 * come first where none are named.
 */
export function parseCompareChoice(
  { a, b, systemA = "", systemB = "" }: RouteQuery,
  runs: readonly RunCard[],
): CompareChoice {
  const lone = runs.length === 1 ? runs[0] : undefined;
  const runA = runs.find(({ id }) => id === a) ?? lone ?? null;
  const runB = runs.find(({ id }) => id === b) ?? lone ?? null;
  if (runA === null || runA !== runB || systemA !== "" || systemB !== "") return { a: runA, b: runB, systemA, systemB };
  const [first, second] = runA.systems;
  return { a: runA, b: runB, systemA: first?.system ?? "", systemB: second?.system ?? "" };
}

/** The ids of runs that an address names and that are not among some runs. */
export function listUnknownRunIds({ a, b }: RouteQuery, runs: readonly RunCard[]): string[] {
  return listNamedRunIds({ a, b }).filter((name) => !runs.some(({ id }) => id === name));
}

function listNamedRunIds({ a, b }: RouteQuery): string[] {
  return [...new Set([a, b])].flatMap((id) => id || []);
}

/** Runs that an address names and that cannot be compared, in words: links outlive what they lead to. */
export function describeAbsentRuns({ a, b }: RouteQuery, runs: readonly RunCard[]): string[] {
  return listNamedRunIds({ a, b }).flatMap((name) => {
    const run = runs.find(({ id }) => id === name);
    if (run === undefined) return [`There is no run ${name} here: it was removed, or is in another folder.`];
    return run.status === "damaged" ? [`The run ${name} is damaged: ${run.problem ?? "it cannot be read"}`] : [];
  });
}

/** What to ask for; or, in words, what is still to be chosen. */
export function buildComparisonQuery({ a, b, systemA, systemB }: CompareChoice): ComparisonQuery | string {
  if (a === null || b === null) return "Choose two runs, or one run twice to compare its systems.";
  const named = { ...(systemA === "" ? {} : { systemA }), ...(systemB === "" ? {} : { systemB }) };
  const missing =
    a.id === b.id
      ? describeMissingInOneRun({ a, b, systemA, systemB })
      : describeMissingInTwoRuns({ a, b, systemA, systemB });
  return missing ?? { a: a.id, b: b.id, ...named };
}

function describeMissingInOneRun({ a, systemA, systemB }: CompareChoice): string | null {
  if (a?.systems.length === 1)
    return "This run has one system, so that there is nothing to compare it with: choose another run as B.";
  return systemA === "" || systemB === "" || systemA === systemB
    ? "A and B are the same run: choose two of its systems."
    : null;
}

function describeMissingInTwoRuns({ a, b, systemA, systemB }: CompareChoice): string | null {
  const [ofA, ofB] = [listSystemNames(a), listSystemNames(b)];
  const isA = systemA !== "" || ofA.length === 1;
  const isB = systemB !== "" || ofB.length === 1;
  if (isA && isB) return null;
  const named = systemA || systemB;
  const isShared = named === "" ? ofA.some((name) => ofB.includes(name)) : ofA.includes(named) && ofB.includes(named);
  return isShared ? null : "The runs have no system of the same name: choose one of each.";
}

function listSystemNames(card: RunCard | null): string[] {
  return card?.systems.map(({ system }) => system) ?? [];
}
