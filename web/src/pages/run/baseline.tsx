import type { TaskName, TaskPasses } from "../../../../src/metrics/compare/index.js";
import type { CompareView, RunCard } from "../../../../src/report/dashboard/contract.js";
import { type LoadState, useLoadState, useRunPage, useSource } from "../../data/index.js";
import { formatMoment, revealLine, SelectFilter } from "../../ui/index.js";

/** An example of a system that passed in the baseline and fails now, or the other way round. */
export interface Flip {
  readonly to: "fail" | "pass";
  /** In the baseline. */
  readonly passed: number;
  readonly trials: number;
}

export interface Flips {
  get(system: string, task: TaskName): Flip | undefined;
}

const MAX_BASELINES = 200;

/** Runs that this one can be compared with: earlier, over one of its datasets; runs tagged `baseline` first. */
export function listBaselines(runs: readonly RunCard[], run: RunCard): RunCard[] {
  const names = new Set(run.datasets.map(({ name }) => name));
  const isBaseline = ({ runTags }: RunCard) => runTags.includes("baseline");
  return runs
    .filter(
      ({ id, status, createdAt, datasets }) =>
        id !== run.id &&
        status !== "damaged" &&
        createdAt <= run.createdAt &&
        datasets.some(({ name }) => names.has(name)),
    )
    .sort(
      (one, other) => Number(isBaseline(other)) - Number(isBaseline(one)) || (one.createdAt < other.createdAt ? 1 : -1),
    );
}

/** The examples whose verdict changed, of systems with the same name in both runs. */
export function collectFlips({ comparison }: CompareView): Flips {
  const flips = new Map<string, Flip>();
  for (const { systemB, flips: changed } of comparison.comparisons) {
    for (const task of changed.toFail) flips.set(formatKey(systemB, task), describeFlip("fail", task));
    for (const task of changed.toPass) flips.set(formatKey(systemB, task), describeFlip("pass", task));
  }
  return { get: (system, task) => flips.get(formatKey(system, task)) };
}

function describeFlip(to: Flip["to"], { passesA, trialsA }: TaskPasses): Flip {
  return { to, passed: passesA, trials: trialsA };
}

function formatKey(system: string, { dataset, exampleId }: TaskName): string {
  return JSON.stringify([system, dataset, exampleId]);
}

/** Null where no baseline is wanted. */
export function useFlips(baseline: string | null, run: string, state: string): LoadState<Flips | null> {
  const source = useSource();
  return useLoadState(
    async () => (baseline === null ? null : collectFlips(await source.compareRuns({ a: baseline, b: run }))),
    [source, baseline, run, state],
  );
}

/** The runs that can be the baseline of this one, best choice first. Null while they load. */
export function useBaselines(run: RunCard): readonly RunCard[] | null {
  const loaded = useRunPage({ limit: MAX_BASELINES });
  return loaded.value === null ? null : listBaselines(loaded.value.runs, run);
}

interface BaselineFilterProps {
  baselines: readonly RunCard[];
  value: string;
  onChange: (id: string) => void;
}

export function BaselineFilter({ baselines, value, onChange }: BaselineFilterProps) {
  const choices = baselines.map(({ id, title, createdAt }) => ({
    value: id,
    label: `${formatMoment(createdAt)} · ${revealLine(title)}`,
  }));
  return <SelectFilter label="Baseline" value={value} choices={choices} all={null} onChange={onChange} />;
}
