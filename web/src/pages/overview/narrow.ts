import type { RunCard } from "../../../../src/report/dashboard/contract.js";
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
  const words = wordsIn(text);
  return ({ run, card }) =>
    (!harness || card.harness === harness) &&
    isWithin(run.createdAt, { from, to }) &&
    hasWords([card.system, card.harness, card.model, run.title, run.id], words);
}

/** The words that are searched for, in any order and case. */
export function wordsIn(text: string | undefined): string[] {
  return (text ?? "").toLowerCase().split(/\s+/).filter(Boolean);
}

/** Whether every word is in one of some texts. */
export function hasWords(texts: readonly (string | null)[], words: readonly string[]): boolean {
  const known = texts.flatMap((text) => text?.toLowerCase() ?? []);
  return words.every((word) => known.some((text) => text.includes(word)));
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
    datasets: distinct(runs.flatMap(({ datasets }) => datasets.map(({ name }) => name))),
    tags: distinct(runs.flatMap(({ tags }) => tags)).sort(byValue),
    harnesses: distinct(runs.flatMap(({ systems }) => systems.flatMap(({ harness }) => harness ?? []))),
  };
}

const NAMES = new Intl.Collator("en", { numeric: true });

/** Each value once, sorted. */
export function distinct(values: readonly string[]): string[] {
  return [...new Set(values)].sort(NAMES.compare);
}

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
