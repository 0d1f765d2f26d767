import type { LiveProgress, QueueView, RunStatus } from "../report/dashboard/contract.js";
import { QueueFile } from "../report/dashboard/index.js";
import { RunTail } from "./run-tail.js";

/** What a watch is told about a run besides its rows. */
export interface WatchedRun {
  dir: string;
  planned: number;
  status: () => Promise<RunStatus>;
}

/** What a look at a run has found: how it goes, or how its workers do. */
export type RunNews = { event: "progress"; data: LiveProgress } | { event: "queue"; data: QueueView | null };

const LOOK_EVERY_MS = 500;
/** Speed is measured over the last looks, not over the whole run: a slow start is over at some time. */
const SPEED_OVER_MS = 10_000;

/** How a run goes, look by look, until it has ended. The last progress says how it ended. */
export async function* watchRun(run: WatchedRun, signal: AbortSignal): AsyncGenerator<RunNews> {
  const tail = new RunTail(run.dir);
  const queue = new QueueFile(run.dir);
  const speed = new Speed();
  const isNew = newsOnly();
  while (!signal.aborted) {
    // Asked before the rows are read, so that the last look sees all of them.
    const status = await run.status();
    await tail.read();
    const progress = withSpeed({ ...tail.progress, status, planned: run.planned }, speed.after(tail.done));
    const workers: RunNews = { event: "queue", data: queue.look({ isGoing: status === "running" }) };
    if (isNew(workers)) yield workers;
    const look: RunNews = { event: "progress", data: progress };
    if (isNew(look)) yield look;
    if (status !== "running") return;
    await pause(LOOK_EVERY_MS, signal);
  }
}

/** Tells news from what was said before. Of a run without a queue nothing is said about one. */
function newsOnly(): (news: RunNews) => boolean {
  const said = { queue: "null", progress: "" };
  return ({ event, data }) => {
    const text = JSON.stringify(data);
    const isNew = text !== said[event];
    said[event] = text;
    return isNew;
  };
}

function withSpeed(
  progress: Omit<LiveProgress, "trialsPerSecond" | "secondsLeft">,
  measured: number | null,
): LiveProgress {
  const trialsPerSecond = progress.status === "running" ? measured : null;
  const left = Math.max(0, progress.planned - progress.done);
  const secondsLeft = trialsPerSecond === null || trialsPerSecond === 0 ? null : left / trialsPerSecond;
  return { ...progress, trialsPerSecond, secondsLeft };
}

/** Trials a second, between the oldest and the newest of the last looks. */
class Speed {
  readonly #looks: { at: number; done: number }[] = [];

  after(done: number): number | null {
    const at = performance.now();
    this.#looks.push({ at, done });
    while (this.#looks.length > 2 && at - (this.#looks[0]?.at ?? at) > SPEED_OVER_MS) this.#looks.shift();
    const first = this.#looks[0];
    if (first === undefined || at - first.at < LOOK_EVERY_MS / 2) return null;
    return ((done - first.done) * 1000) / (at - first.at);
  }
}

/** Waits, but not for somebody who has gone. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
  });
}
