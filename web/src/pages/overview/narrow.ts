import type { RunCard } from "../../../../src/report/dashboard/contract.js";
import { hasWords, listDistinct, splitSearchWords } from "../../../../src/report/dashboard/run-query.js";
import { type DayRange, isWithin } from "../../ui/dates.js";
import type { SystemOfRun } from "./parts.js";

/** What a list of systems over runs is narrowed to by the page itself; datasets and tags are the source's to filter by. */
export interface Narrowing extends DayRange {
  harness?: string | undefined;
  text?: string | undefined;
}

/** The words of an address that narrow a list. */
export function narrowingIn({ harness, from, to, q }: Readonly<Record<string, string | undefined>>): Narrowing {
  return { harness, from, to, text: q };
}

/** Whether a system of a run is in the list. */
export function fits({ harness, from, to, text }: Narrowing): (candidate: SystemOfRun) => boolean {
  const words = splitSearchWords(text);
  return ({ run, card }) =>
    (!harness || card.harness === harness) &&
    isWithin(run.createdAt, { from, to }) &&
    hasWords([card.system, card.harness, card.model, run.title, run.id], words);
}

/** What there is to filter by. */
export interface Choices {
  datasets: string[];
  tags: string[];
  harnesses: string[];
}

/** Everything that occurs in some runs, each once and sorted. */
export function choicesIn(runs: readonly RunCard[]): Choices {
  return {
    datasets: listDistinct(runs.flatMap(({ datasets }) => datasets.map(({ name }) => name))),
    tags: listDistinct(runs.flatMap(({ tags }) => tags)).sort(byValue),
    harnesses: listDistinct(runs.flatMap(({ systems }) => systems.flatMap(({ harness }) => harness ?? []))),
  };
}

const NAMES = new Intl.Collator("en", { numeric: true });

/** Values of one facet that are numbers go by their size: `depth=0.25` before `depth=0.5`. */
function byValue(x: string, y: string): number {
  const [a, b] = [halves(x), halves(y)];
  const difference = a.field === b.field ? a.value - b.value : Number.NaN;
  return Number.isFinite(difference) ? difference : NAMES.compare(x, y);
}

function halves(tag: string): { field: string; value: number } {
  const at = tag.indexOf("=");
  const value = tag.slice(at + 1);
  return { field: tag.slice(0, at), value: value.trim() === "" ? Number.NaN : Number(value) };
}
