import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { evaluate } from "../evaluate.js";
import { AnswerQuality } from "../evaluators/index.js";
import { loadRun } from "../runs/load-run.js";
import { RunJournal } from "../store/journal.js";
import { RunService } from "./run-service.js";

let runsDir = "";

beforeEach(() => {
  runsDir = mkdtempSync(join(tmpdir(), "assay-desk-"));
});

afterEach(() => rmSync(runsDir, { recursive: true, force: true }));

/** Stores a run of one system on two questions and returns its id. */
async function storedRun(): Promise<string> {
  const { runDir } = await evaluate({
    systems: [{ name: "sure", process: () => ({ response: "Paris" }) }],
    dataset: ["Paris", "Rome"].map((answer, id) => ({ id, question: "Which town?", answer })),
    evaluators: [new AnswerQuality()],
    runsDir,
  });
  return basename(runDir ?? "");
}

test("computes the view of a run once while its files stay the same", async () => {
  const id = await storedRun();
  const desk = new RunService({ runsDir, load: loadRun });
  const first = await desk.getRun(id);
  expect((await desk.getRun(id)).charts).toBe(first.charts);
  const { journal } = RunJournal.resume(join(runsDir, id));
  expect((await desk.getRun(id)).card.status).toBe("running");
  journal.close();
  expect((await desk.getRun(id)).card.status).toBe("complete");
});

test("shows a run that was stopped before its first trial finished, without rows", async () => {
  const id = await storedRun();
  writeFileSync(join(runsDir, id, "rows.jsonl"), "");
  rmSync(join(runsDir, id, "summary.json"));
  const desk = new RunService({ runsDir, load: loadRun });
  const { card, config } = await desk.getRun(id);
  expect([card.status, card.done, card.planned, config.systems]).toEqual(["incomplete", 0, 2, ["sure"]]);
  expect((await desk.loadResult(id)).rows).toEqual([]);
});
