import type { RunCard, RunStatus } from "../../../../src/report/dashboard/contract.js";
import { distinct, hasWords, wordsIn } from "../overview/narrow.js";

/** What the list of runs is narrowed to. */
export interface RunsFilter {
  text?: string | undefined;
  status?: string | undefined;
  command?: string | undefined;
  dataset?: string | undefined;
}

/** How runs that a program made are called in the filter, since they have no command. */
const BY_PROGRAM = "program";

/** Runs that fit, in the order they were given. */
export function runsThatFit(runs: readonly RunCard[], filter: RunsFilter): RunCard[] {
  const words = wordsIn(filter.text);
  return runs.filter(
    (run) =>
      (!filter.status || run.status === filter.status) &&
      (!filter.command || commandOf(run) === filter.command) &&
      (!filter.dataset || run.datasets.some(({ name }) => name === filter.dataset)) &&
      hasWords(textsOf(run), words),
  );
}

/** The command that made a run, in a word. */
export function commandOf({ command }: RunCard): string {
  return command ?? BY_PROGRAM;
}

function textsOf({ id, title, datasets, systems }: RunCard): (string | null)[] {
  return [
    id,
    title,
    ...datasets.map(({ name }) => name),
    ...systems.flatMap(({ system, model, harness }) => [system, model, harness]),
  ];
}

const STATUSES: readonly RunStatus[] = ["running", "complete", "incomplete", "damaged"];

/** What the list can be filtered by. */
export function runsChoices(runs: readonly RunCard[]): { statuses: string[]; commands: string[]; datasets: string[] } {
  const found = new Set(runs.map(({ status }) => status));
  return {
    statuses: STATUSES.filter((status) => found.has(status)),
    commands: distinct(runs.map(commandOf)),
    datasets: distinct(runs.flatMap(({ datasets }) => datasets.map(({ name }) => name))),
  };
}

/** The mean pass rate of a run's systems, to sort by; null when none is known. */
export function meanPassRate({ systems }: RunCard): number | null {
  const rates = systems.flatMap(({ figures }) => figures.pass_rate ?? []);
  return rates.length === 0 ? null : rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
}

/** A few names, and how many more there are. */
export function fewOf(names: readonly string[], most = 1): string {
  const more = names.length - most;
  return more > 0 ? `${names.slice(0, most).join(", ")} +${more}` : names.join(", ");
}
