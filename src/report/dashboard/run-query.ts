import type { RunCard, RunChoices, RunListQuery, RunPage, RunStatus } from "./contract.js";
import { parseOrder, type SortValue, sortByValue } from "./order.js";

/** Default number of runs on a page. */
export const DEFAULT_RUNS = 100;
/** Maximum number of runs in one answer. */
export const MAX_RUNS = 1000;

export const STATUSES: readonly RunStatus[] = ["running", "complete", "incomplete", "damaged"];

/** The keys that runs can be sorted by. */
export const RUN_SORTS = {
  title: ({ title }) => title,
  status: ({ status }) => status,
  when: ({ createdAt }) => Date.parse(createdAt) || null,
  command: getRunCommand,
  datasets: ({ datasets }) => datasets.map(({ name }) => name).join(", ") || null,
  systems: ({ systems }) => systems.map(({ system }) => system).join(", ") || null,
  done: ({ done }) => done,
  time: ({ wallSeconds }) => wallSeconds,
  cost: ({ costUsd }) => costUsd,
  pass_rate: computeMeanPassRate,
} as const satisfies Readonly<Record<string, (run: RunCard) => SortValue>>;

export type RunSort = keyof typeof RUN_SORTS;

export function isRunSort(key: string): key is RunSort {
  return Object.hasOwn(RUN_SORTS, key);
}

/**
 * Returns one page of runs, which are given newest first.
 * @example
 * buildRunPage(cards, { q: "gsm8k", sort: "-cost", limit: 20, offset: 20 }).total;
 */
export function buildRunPage(runs: readonly RunCard[], query: RunListQuery, unread = 0): RunPage {
  const { limit = DEFAULT_RUNS, offset = 0 } = query;
  const fitting = sortRuns(filterRuns(runs, query), query.sort);
  return {
    runs: fitting.slice(offset, offset + limit),
    offset,
    total: fitting.length,
    all: runs.length,
    choices: listRunChoices(runs),
    unread,
  };
}

function sortRuns(runs: RunCard[], sort: string | undefined): RunCard[] {
  const { key, isDescending } = parseOrder(sort, { key: "when", isDescending: true });
  return isRunSort(key) ? sortByValue(runs, RUN_SORTS[key], isDescending) : runs;
}

/** Keeps the order. */
export function filterRuns(runs: readonly RunCard[], query: RunListQuery): RunCard[] {
  const { q, status, command, hasDataset, hasSystem, runTag, since, dataset, tag } = query;
  const words = splitSearchWords(q);
  return runs.filter(
    (run) =>
      (!status || run.status === status) &&
      (!command || getRunCommand(run) === command) &&
      (!hasDataset || hasDatasetNamed(run, hasDataset)) &&
      (!hasSystem || run.systems.some(({ system }) => system === hasSystem)) &&
      (!runTag || run.runTags.includes(runTag)) &&
      (!since || Date.parse(run.createdAt) >= Date.parse(since)) &&
      (!dataset || hasDatasetNamed(run, dataset)) &&
      (!tag || run.tags.includes(tag)) &&
      (words.length === 0 || hasWords(listSearchedTexts(run), words)),
  );
}

function hasDatasetNamed({ datasets }: RunCard, wanted: string): boolean {
  return datasets.some(({ name }) => name === wanted);
}

/** The filter value for runs that were started by a program and have no command. */
const PROGRAM_COMMAND = "program";

export function getRunCommand({ command }: RunCard): string {
  return command ?? PROGRAM_COMMAND;
}

function listSearchedTexts({ id, title, runTags, datasets, systems }: RunCard): (string | null)[] {
  return [
    id,
    title,
    ...runTags,
    ...datasets.map(({ name }) => name),
    ...systems.flatMap(({ system, model, harness }) => [system, model, harness]),
  ];
}

/** The words to search for, in any order and case. */
export function splitSearchWords(text: string | undefined): string[] {
  return (text ?? "").toLowerCase().split(/\s+/).filter(Boolean);
}

/** Whether every word occurs in one of the texts. */
export function hasWords(texts: readonly (string | null)[], words: readonly string[]): boolean {
  const known = texts.flatMap((text) => text?.toLowerCase() ?? []);
  return words.every((word) => known.some((text) => text.includes(word)));
}

export function listRunChoices(runs: readonly RunCard[]): RunChoices {
  const found = new Set(runs.map(({ status }) => status));
  return {
    statuses: STATUSES.filter((status) => found.has(status)),
    commands: listDistinct(runs.map(getRunCommand)),
    datasets: listDistinct(runs.flatMap(({ datasets }) => datasets.map(({ name }) => name))),
  };
}

const NAMES = new Intl.Collator("en", { numeric: true });

/** Sorted. */
export function listDistinct(values: readonly string[]): string[] {
  return [...new Set(values)].sort(NAMES.compare);
}

/** Null when no pass rate is known. */
export function computeMeanPassRate({ systems }: RunCard): number | null {
  const rates = systems.flatMap(({ figures }) => figures.pass_rate ?? []);
  return rates.length === 0 ? null : rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
}
