import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { RunStatus } from "../report/dashboard/contract.js";
import { createSampleQueue, createSampleWorker, writeQueueFile } from "../report/dashboard/queue-testing.js";
import { type RunUpdate, watchRun } from "./run-service.js";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-watch-"));
  // Skips the pauses between polls.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.setTimerTickMode("nextTimerAsync");
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(dir, { recursive: true, force: true });
});

/** Watches a run without rows; each status callback changes the run before that poll. */
async function watched(looks: readonly (() => RunStatus)[]): Promise<RunUpdate[]> {
  let place = 0;
  const status = async () => (looks[place++] ?? (() => "complete"))();
  const news: RunUpdate[] = [];
  for await (const look of watchRun({ dir, planned: 4, status }, new AbortController().signal)) news.push(look);
  return news;
}

const inShort = (news: readonly RunUpdate[]) =>
  news
    .filter(({ event }) => event === "queue")
    .map(({ data }) => (data !== null && "phase" in data ? wordsOf(data) : null));

function wordsOf(view: NonNullable<Extract<RunUpdate, { event: "queue" }>["data"]>): string {
  if (view.phase === "unreadable") return "unreadable";
  return [view.phase, ...view.state.workers.map(({ host, done }) => `${host} ${done}`)].join(", ");
}

test("reports the workers of a queued run when they change, and a last time when it ends", async () => {
  const [alpha, beta] = [createSampleWorker({ host: "alpha", done: 1 }), createSampleWorker({ host: "beta", done: 1 })];
  const state = createSampleQueue({ workers: [alpha, beta] });
  const news = await watched([
    () => "running",
    () => {
      writeQueueFile(dir, state);
      return "running";
    },
    () => "running",
    () => {
      writeQueueFile(dir, { ...state, workers: [{ ...alpha, done: 3 }] });
      return "running";
    },
    () => {
      writeFileSync(join(dir, "queue.json"), '{"schema":"assay.queue-st');
      return "running";
    },
    () => {
      writeQueueFile(dir, { ...state, workers: [{ ...alpha, done: 4 }], isRunning: false });
      return "complete";
    },
  ]);
  expect(inShort(news)).toEqual(["live, alpha 1, beta 1", "live, alpha 3", "unreadable", "over, alpha 4"]);
  expect(news.at(-1)).toMatchObject({ event: "progress", data: { status: "complete" } });
});

test("reports no workers for a run without a queue", async () => {
  expect((await watched([() => "running", () => "running"])).map(({ event }) => event)).not.toContain("queue");
});
