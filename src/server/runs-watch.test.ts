import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { RunJournal } from "../store/journal.js";
import { makeManifest } from "../testing/make-run.js";
import { RunListWatcher } from "./run-service.js";

let runsDir = "";
const stops: (() => void)[] = [];

beforeEach(() => {
  runsDir = mkdtempSync(join(tmpdir(), "assay-runs-watch-"));
});

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  rmSync(runsDir, { recursive: true, force: true });
});

function makeRun(name: string): void {
  RunJournal.create(join(runsDir, name), makeManifest()).close();
}

/** Counts notifications. */
async function listening(watch: RunListWatcher): Promise<{ told: number; stop: () => void }> {
  const heard = { told: 0, stop: () => {} };
  heard.stop = await watch.listen(() => heard.told++);
  stops.push(heard.stop);
  return heard;
}

const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

it("notifies all listeners of runs that are added, resumed, extended, finished and removed", async () => {
  makeRun("old");
  const watch = new RunListWatcher(runsDir, 10);
  const [first, second] = [await listening(watch), await listening(watch)];
  const change = async (act: () => void) => {
    const before = first.told;
    act();
    await vi.waitFor(() => expect(first.told).toBeGreaterThan(before), { timeout: 20_000 });
    await vi.waitFor(() => expect(second.told).toBe(first.told), { timeout: 20_000 });
  };
  await change(() => makeRun("new"));
  let journal: RunJournal | null = null;
  await change(() => {
    journal = RunJournal.resume(join(runsDir, "old")).journal;
  });
  await change(() => appendFileSync(join(runsDir, "old", "rows.jsonl"), "{}\n"));
  await change(() => journal?.close());
  await change(() => rmSync(join(runsDir, "new"), { recursive: true }));
});

it("does not notify while nothing changes", async () => {
  for (let i = 0; i < 20; i++) makeRun(`run-${i}`);
  const heard = await listening(new RunListWatcher(runsDir, 1));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(heard.told).toBe(0);
});

it("finds a resumed run among more runs than one scan covers", async () => {
  for (let i = 0; i < 1200; i++) mkdirSync(join(runsDir, `run-${String(i).padStart(4, "0")}`));
  const heard = await listening(new RunListWatcher(runsDir, 1));
  writeFileSync(join(runsDir, "run-0003", "manifest.json"), "{}");
  await vi.waitFor(() => expect(heard.told).toBe(1), { timeout: 20_000 });
});

it("does not scan without listeners", async () => {
  const before = timers();
  const watch = new RunListWatcher(runsDir, 60_000);
  const heard = [await listening(watch), await listening(watch)];
  expect(timers()).toBe(before + 1);
  for (const { stop } of heard) stop();
  expect(timers()).toBe(before);
});
