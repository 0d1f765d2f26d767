import { type EvalRow, hasOutput, type System } from "../core/index.js";

/** Says which trials of a run in batches have no time, and which were sent at the normal price after a deadline. */
export function describeBatchedTrials(rows: readonly EvalRow[], systems: readonly System[]): string[] {
  const recorded = new Set(systems.flatMap(({ name, isRecorded }) => (isRecorded === true ? [name] : [])));
  const answered = rows.filter((row) => hasOutput(row) && !row.cached && !recorded.has(row.system));
  const batched = answered.filter(({ metadata }) => metadata?.serviceTier === "batch").length;
  const live = answered.length - batched;
  const count = (trials: number) => (trials === 1 ? "1 trial was" : `${trials} trials were`);
  return [
    ...(batched === 0 ? [] : [`${count(batched)} answered in batches: no time is measured`]),
    ...(live === 0 ? [] : [`${count(live)} sent one by one after the deadline of their batch, at the normal price`]),
  ];
}
