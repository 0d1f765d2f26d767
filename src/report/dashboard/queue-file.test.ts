import { mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { QueueBudget, QueueState } from "../../queue/contract.js";
import type { QueueView } from "./contract.js";
import { redactQueueView } from "./html-report-page.js";
import { createSampleQueue, createSampleWorker, writeQueueFile } from "./queue-testing.js";
import { countActiveWorkers, QueueFile } from "./queue-view.js";

import { createEmptyFolder } from "./trial-testing.js";

const GOING = { isGoing: true };
const BUDGET: QueueBudget = {
  maxCostUsd: 1,
  spentUsd: 0.5,
  reservedUsd: 0.1,
  isRefusing: false,
  unknownCosts: 0,
  lostTrials: 2,
  lostUsd: 0.04,
};

function stateIn(view: QueueView | null): QueueState {
  if (view === null || view.phase === "unreadable") throw new Error(`there is no state: ${JSON.stringify(view)}`);
  return view.state;
}

describe("the workers of a run", () => {
  it("are those that the coordinator reported, and change with it", () => {
    const dir = createEmptyFolder();
    const file = new QueueFile(dir);
    expect(file.read(GOING)).toBeNull();
    const first = createSampleQueue({ budget: BUDGET, notes: ["Redis was away for 3 s"] });
    writeQueueFile(dir, first);
    expect(file.read(GOING)).toEqual({ phase: "live", state: first });
    writeQueueFile(dir, { ...first, workers: [] });
    expect(stateIn(file.read(GOING)).workers).toEqual([]);
  });

  it("are read again only when the file changes", () => {
    const dir = createEmptyFolder();
    const file = new QueueFile(dir);
    writeQueueFile(dir, createSampleQueue());
    const [first, again] = [stateIn(file.read(GOING)), stateIn(file.read(GOING))];
    expect(again.workers[0]).toBe(first.workers[0]);
  });

  it("are silent after 15 s without a report, and over when the run has ended or the state says so", () => {
    const dir = createEmptyFolder();
    const at = "2026-11-15T21:33:34.000Z";
    const after = (ms: number) => Date.parse(at) + ms;
    writeQueueFile(dir, createSampleQueue({ at }));
    const phase = (ms: number, isGoing = true) => new QueueFile(dir).read({ isGoing, now: after(ms) })?.phase;
    expect([phase(-500), phase(0), phase(15_000), phase(15_001)]).toEqual(["live", "live", "live", "silent"]);
    expect(phase(0, false)).toBe("over");
    writeQueueFile(dir, createSampleQueue({ at, isRunning: false }));
    expect(phase(0)).toBe("over");
  });

  it("are sorted by name, those that refuse trials first", () => {
    const dir = createEmptyFolder();
    const workers = [
      createSampleWorker({ host: "node-10" }),
      createSampleWorker({ host: "node-9", pid: 30 }),
      createSampleWorker({ host: "node-9", pid: 4 }),
      createSampleWorker({ host: "zeta", refuses: "its code differs" }),
    ];
    writeQueueFile(dir, createSampleQueue({ workers }));
    const view = new QueueFile(dir).read(GOING);
    expect(stateIn(view).workers.map(({ host, pid }) => `${host} ${pid}`)).toEqual([
      "zeta 1",
      "node-9 4",
      "node-9 30",
      "node-10 1",
    ]);
    expect(countActiveWorkers(view)).toBe(3);
    expect(countActiveWorkers(new QueueFile(dir).read({ isGoing: false }))).toBeNull();
  });

  it("are cut to what a page can show", () => {
    const dir = createEmptyFolder();
    const long = "x".repeat(10_000);
    const worker = { ...createSampleWorker({ host: long, waiting: long }), secret: "unknown to this version" };
    const notes = Array.from({ length: 150 }, (_, place) => `note ${place}`);
    writeQueueFile(dir, { ...createSampleQueue({ notes }), workers: [worker] });
    const state = stateIn(new QueueFile(dir).read(GOING));
    expect(JSON.stringify(state)).not.toContain("secret");
    expect([state.workers[0]?.host.length, state.workers[0]?.waiting?.length]).toEqual([201, 2001]);
    expect([state.notes.length, state.notes.at(-1)]).toEqual([100, "note 149"]);
  });
});

describe("an invalid queue state", () => {
  const problemOf = (dir: string): string => {
    const view = new QueueFile(dir).read(GOING);
    if (view?.phase !== "unreadable") throw new Error(`it was used: ${JSON.stringify(view)}`);
    return view.problem;
  };

  it.each([
    ["of a later version", { ...createSampleQueue(), schema: "assay.queue-state/2" }, "assay.queue-state/2"],
    ["of something else", { schema: "package" }, "was not written by Assay"],
    ["that is a list", [1, 2], "was not written by Assay"],
    ["that is null", null, "was not written by Assay"],
    ["without a time", { ...createSampleQueue(), at: "soon" }, '"at"'],
    ["with a time that is not a text", { ...createSampleQueue(), at: { toString: 1 } }, '"at"'],
    ["with less than nothing", { ...createSampleQueue(), waiting: -1 }, '"waiting"'],
    ["without workers", { ...createSampleQueue(), workers: undefined }, '"workers"'],
    ["with a strange worker", { ...createSampleQueue(), workers: [createSampleWorker(), "beta"] }, '"workers[1].id"'],
    ["with half a budget", { ...createSampleQueue(), budget: { maxCostUsd: 1 } }, '"budget.spentUsd"'],
    ["with an invalid note", { ...createSampleQueue(), notes: ["a", 2] }, '"notes[1]"'],
  ])("is ignored with a message: %s", (_, state, words) => {
    const dir = createEmptyFolder();
    writeQueueFile(dir, state);
    expect(problemOf(dir)).toMatch(/^The workers are not shown, because queue\.json cannot be used: .+\.$/);
    expect(problemOf(dir)).toContain(words);
  });

  it("is ignored while half-written, and used when it is complete", () => {
    const dir = createEmptyFolder();
    const path = join(dir, "queue.json");
    writeQueueFile(dir, createSampleQueue());
    const whole = readFileSync(path, "utf8");
    const file = new QueueFile(dir);
    truncateSync(path, 100);
    expect(file.read(GOING)?.phase).toBe("unreadable");
    writeFileSync(path, whole);
    expect(file.read(GOING)?.phase).toBe("live");
  });

  it("is ignored if it is not a file, or far too large", () => {
    const dir = createEmptyFolder();
    mkdirSync(join(dir, "queue.json"));
    expect(problemOf(dir)).toContain("is not a regular file");
    const other = createEmptyFolder();
    writeFileSync(join(other, "queue.json"), " ".repeat((4 << 20) + 1));
    expect(problemOf(other)).toContain("too large");
  });

  it("never contains anything that a page cannot show", () => {
    const dir = createEmptyFolder();
    const file = new QueueFile(dir);
    const field = fc.constantFrom(...Object.keys(createSampleQueue()));
    fc.assert(
      fc.property(field, fc.jsonValue(), (key, value) => {
        writeQueueFile(dir, { ...createSampleQueue(), [key]: value });
        const view = file.read(GOING);
        expect(JSON.parse(JSON.stringify(view))).toEqual(view);
        expect(["live", "silent", "over", "unreadable"]).toContain(view?.phase);
      }),
      { numRuns: 200 },
    );
  });
});

describe("redactQueueView", () => {
  it("keeps the work of each worker and removes the names of machines", () => {
    const workers = [
      createSampleWorker({
        host: "vault-7.corp.example",
        pid: 4,
        done: 70,
        waiting: "https://llm.corp.example has no room",
      }),
      createSampleWorker({ host: "vault-7.corp.example", pid: 5, done: 20 }),
      createSampleWorker({ host: "den.corp.example", pid: 6, done: 10 }),
      createSampleWorker({ host: "odd.corp.example", refuses: "/home/odd/corp.example differs" }),
    ];
    const url = "redis://queue.corp.example:6379";
    const state = createSampleQueue({
      url,
      workers,
      budget: BUDGET,
      notes: ["corp.example was away"],
      isRunning: false,
    });
    const shown = redactQueueView({ phase: "over", state });
    expect(JSON.stringify(shown)).not.toContain("corp.example");
    expect(stateIn(shown).workers.map(({ host, pid, done }) => [host, pid, done])).toEqual([
      ["machine 1", 4, 70],
      ["machine 1", 5, 20],
      ["machine 2", 6, 10],
    ]);
    expect(stateIn(shown).budget).toEqual(BUDGET);
    expect([redactQueueView(null), redactQueueView({ phase: "unreadable", problem: "x" })]).toEqual([null, null]);
  });
});
