import type { VNode } from "preact";
import { describe, expect, test } from "vitest";
import type { QueueBudget, QueueState, WorkerState } from "../../../../src/queue/contract.js";
import { sortRows } from "../../ui/index.js";
import { createSampleWorker, createSampleWorker as worker } from "./worker-testing.js";
import {
  buildWorkerColumns,
  describeSpending,
  describeWorkers,
  explainWaiting,
  listBudgetWarnings,
  type ReadableQueue,
  sumTrialsPerSecond,
} from "./workers.js";

const AT_WORK = { delivered: 400, isOver: false, hasRefusals: true };

/** The text of a cell as drawn. */
function readText(node: unknown): string {
  if (Array.isArray(node)) return node.map(readText).join("");
  if (typeof node === "object" && node !== null)
    return readText((node as VNode<{ children?: unknown }>).props.children);
  return typeof node === "string" || typeof node === "number" ? String(node) : "";
}

const readLine = (whole: Parameters<typeof buildWorkerColumns>[0], row: WorkerState) =>
  Object.fromEntries(buildWorkerColumns(whole).map(({ title, cell }) => [readText(title), readText(cell(row))]));

test("the row of a worker shows its load, its speed, and what it waits for", () => {
  expect(readLine(AT_WORK, worker({ waiting: "a place at api.example" }))).toEqual({
    Worker: "alpha pid 7",
    "At a time": "8",
    "Under way": "3",
    Done: "100",
    Share: "25 %",
    "A second": "12.5",
    "Waits for": "a place at api.example",
  });
  expect(readLine({ ...AT_WORK, delivered: 0 }, worker({ done: 0 }))).toMatchObject({ Share: "–" });
});

test("the row of a worker that refuses shows the reason", () => {
  expect(readLine(AT_WORK, worker({ refuses: "system: its code differs" }))).toMatchObject({
    "Waits for": "Refuses: system: its code differs",
  });
});

test("after the run, the row shows the share of the worker, or why it took no part", () => {
  const over = { ...AT_WORK, isOver: true };
  expect(readLine({ ...over, hasRefusals: false }, worker({}))).toEqual({
    Worker: "alpha pid 7",
    "At a time": "8",
    Done: "100",
    Share: "25 %",
  });
  expect(readLine(over, worker({ refuses: "no" }))).toMatchObject({ "Why it did not take part": "no" });
});

test("reveals hidden characters in names and reasons", () => {
  const line = readLine(AT_WORK, worker({ host: "\u202eevil\u001b[2J", waiting: "line\u0007" }));
  expect([line.Worker, line["Waits for"]]).toEqual(["⟨U+202E⟩evil⟨ESC⟩[2J pid 7", "line⟨BEL⟩"]);
});

test("sorts workers by their figures, and by name with numbers in order", () => {
  const columns = buildWorkerColumns(AT_WORK);
  const rows = [worker({ host: "node-10", done: 1 }), worker({ host: "node-9", done: 5 })];
  const hostsBy = (key: string, isDescending: boolean) =>
    sortRows(rows, columns, { key, isDescending }).map(({ host }) => host);
  expect(hostsBy("worker", false)).toEqual(["node-9", "node-10"]);
  expect(hostsBy("done", true)).toEqual(["node-9", "node-10"]);
  expect(hostsBy("", false)).toEqual(["node-10", "node-9"]);
});

const WORKER = createSampleWorker({ done: 1200 });
const REFUSING = createSampleWorker({ id: "b", done: 7, perSecond: 3, refuses: "its code differs" });

function queue(phase: ReadableQueue["phase"], known: Partial<QueueState> = {}): ReadableQueue {
  const state: QueueState = {
    schema: "assay.queue-state/1",
    at: "2026-11-15T21:33:34.000Z",
    url: "redis://q:6379",
    isRunning: phase !== "over",
    waiting: 0,
    active: 0,
    workers: [WORKER, REFUSING],
    budget: null,
    notes: [],
    ...known,
  };
  return { phase, state };
}

function budget(known: Partial<QueueBudget>): QueueBudget {
  const nothing = { isRefusing: false, unknownCosts: 0, lostTrials: 0, lostUsd: 0 };
  return { maxCostUsd: 2, spentUsd: 0.5, reservedUsd: 0.1, ...nothing, ...known };
}

describe("the description of the workers", () => {
  test("counts active workers, and stays the same while only trials end", () => {
    expect(describeWorkers(queue("live"))).toBe("1 worker takes part, 1 refuses.");
    const others = [
      { ...WORKER, done: 9 },
      { ...WORKER, perSecond: 0 },
    ];
    expect(describeWorkers(queue("live", { workers: others }))).toBe("2 workers take part.");
    expect(describeWorkers(queue("live", { workers: [] }))).toBe("No worker takes part.");
    const none = [REFUSING, { ...REFUSING, id: "c" }];
    expect(describeWorkers(queue("live", { workers: none }))).toBe("No worker takes part, 2 refuse.");
  });

  test("says what was delivered, or that the end is unknown", () => {
    expect(describeWorkers(queue("over"))).toBe("When the coordinator stopped, 1 worker had delivered 1,200 trials.");
    expect(describeWorkers(queue("over", { isRunning: true }))).toMatch(/^The coordinator stopped unexpectedly/);
    expect(describeWorkers(queue("silent"))).toMatch(
      /^⚠ No report from the queue .* 1 worker had delivered 1,200 trials\.$/,
    );
    expect(describeWorkers(queue("over", { workers: [] }))).toBe(
      "When the coordinator stopped, no worker was connected.",
    );
  });

  test("adds up the rates of active workers", () => {
    expect(sumTrialsPerSecond(queue("live", { workers: [WORKER, WORKER, REFUSING] }).state)).toBe(25);
  });

  test("explains what each worker waits for", () => {
    expect(explainWaiting(WORKER)).toBe("–");
    expect(explainWaiting({ ...WORKER, waiting: "a place at the endpoint" })).toBe("a place at the endpoint");
    expect(explainWaiting({ ...REFUSING, waiting: "ignored" })).toBe("Refuses: its code differs");
    expect(explainWaiting({ ...WORKER, run: null })).toBe("a run");
  });
});

describe("the description of the budget", () => {
  test("gives what was spent of the total", () => {
    expect(describeSpending(budget({}))).toBe("$0.5000 of $2.00 (25 %)");
    expect(describeSpending(budget({ maxCostUsd: 0, spentUsd: 0 }))).toBe("$0 of $0");
  });

  test("warns of lost trials, unknown costs and an exhausted budget, and of nothing else", () => {
    expect(listBudgetWarnings(budget({}))).toEqual([]);
    expect(listBudgetWarnings(budget({ lostTrials: 1, lostUsd: 0.03 }))).toEqual([
      "1 trial was lost with the worker that ran it. What it cost is unknown: the $0.0300 that was set aside counts as spent.",
    ]);
    const [first, second, third] = listBudgetWarnings(
      budget({ isRefusing: true, lostTrials: 3, lostUsd: 0.09, unknownCosts: 2 }),
    );
    expect(first).toContain("not enough for another trial");
    expect(second).toMatch(/^3 trials were lost with the worker that ran them\./);
    expect(third).toMatch(/^The cost of 2 trials is unknown: .* counts as spent\.$/);
  });
});
