import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import { createRandom, type Random } from "../../src/stats/index.js";
import { type Mock, type MockRequest, startMock } from "../../src/testing/mock/index.js";
import { startRedis } from "../../src/testing/redis-server.js";
import {
  type PrintedReport,
  parseReport,
  type RunningCommand,
  runAssay,
  startAssay,
} from "../../src/testing/run-assay.js";
import { TempProject } from "../../src/testing/temp-project.js";
import type { Scenario } from "./scenarios.js";

/** What a scenario left behind. */
export interface ChaosOutcome {
  readonly report: PrintedReport & { budget: BudgetReceipt };
  /** Lines of the journal. */
  readonly lines: readonly JournalLine[];
  /** Requests made by the killed command. */
  readonly requests: readonly MockRequest[];
  readonly kills: number;
  /** Maximum number of trials in flight at the kills. */
  readonly inFlight: number;
}

/** A row, or a budget reservation for a trial. */
interface JournalLine {
  kind?: "reserve" | "settle";
  usd?: number;
  system: string;
  exampleId: string;
  trial: number;
  outcome?: string;
}

interface BudgetReceipt {
  maxCostUsd: number;
  spentUsd: number;
  trialsUsd: number;
  ungradedUsd: number;
  repeatedUsd: number;
  unknownUsd: number;
  lostUsd: number;
  lostTrials: number;
}

/** A process that can be killed and restarted. */
interface KillableCommand {
  readonly slots: number;
  running: RunningCommand;
  start(): RunningCommand;
}

/** Plays a scenario to its end in its own folder. */
export async function playScenario(scenario: Scenario, kills: number, maxCostUsd: number): Promise<ChaosOutcome> {
  const mock = await startMock({ ...scenario.script, keepBodies: true });
  onTestFinished(() => mock.close());
  const models = String(scenario.files["models.yml"]).replaceAll("URL", mock.url);
  const space = new TempProject({ ...scenario.files, "models.yml": models });
  if (scenario.before !== undefined) {
    const { code, stderr } = await runAssay(space.dir, ...scenario.before);
    expect(code, stderr).toBe(0);
  }
  const asked = mock.counts.requests;
  const own = await startQueue(scenario, space);
  const run = startRun(scenario, space, ["--max-cost", String(maxCostUsd), ...own.flags]);
  const scene = { run, others: own.workers, mock, pace: scenario.pace };
  const disturbed = await killAtRandom(scene, kills, createRandom(scenario.name));
  if (scenario.budget > 1) expect(disturbed.kills, "it ended before it was killed often enough").toBe(kills);
  const last = await run.running.finished;
  expect(last.signal, last.stderr).toBeNull();
  await own.end();
  const report = parseReport(last) as ChaosOutcome["report"];
  const journal = space.read(findNewestRun(space), "rows.jsonl").trimEnd().split("\n");
  const lines = journal.map((line) => JSON.parse(line) as JournalLine);
  return { report, lines, requests: mock.requests.slice(asked), ...disturbed };
}

/** The folder of the killed run; an earlier one is its parent. */
function findNewestRun(space: TempProject): string {
  return space.runs().findLast((run) => existsSync(space.path(run, "manifest.json"))) ?? "";
}

function startRun({ args, resume, slots }: Scenario, space: TempProject, flags: readonly string[]): KillableCommand {
  const parent = findNewestRun(space);
  const begin = () => {
    const run = findNewestRun(space);
    return startAssay(space.dir, run === parent ? [...args, ...flags] : [...resume, run]);
  };
  return { slots, running: begin(), start: begin };
}

/** Starts a Redis and its workers, if the scenario has workers. */
async function startQueue({ workers = [] }: Scenario, space: TempProject) {
  if (workers.length === 0) return { workers: [], flags: [], end: async () => {} };
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  const victims = workers.map((slots): KillableCommand => {
    const flags = ["--queue", redis.url, "--lease", "3", "--concurrency", String(slots)];
    const begin = () => startAssay(space.dir, ["worker", ...flags]);
    return { slots, running: begin(), start: begin };
  });
  const end = async () => {
    for (const { running } of victims) running.child.kill("SIGTERM");
    for (const { running } of victims) expect((await running.finished).code).toBe(0);
  };
  return { workers: victims, flags: ["--queue", redis.url], end };
}

interface ChaosScene extends Pick<Scenario, "pace"> {
  readonly run: KillableCommand;
  readonly others: readonly KillableCommand[];
  readonly mock: Mock;
}

/** Kills one of the processes with SIGKILL and restarts it, up to `most` times or until the run is over. */
async function killAtRandom(
  scene: ChaosScene,
  most: number,
  random: Random,
): Promise<Pick<ChaosOutcome, "kills" | "inFlight">> {
  const { run, others, mock } = scene;
  let inFlight = 0;
  for (let kills = 0; kills < most; kills++) {
    const victim = [run, ...others][random.int(1 + others.length)] ?? run;
    await waitForMoment(scene, random);
    if (run.running.child.exitCode !== null) return { kills, inFlight };
    victim.running.child.kill("SIGKILL");
    await victim.running.finished;
    if (others.length === 0) await expect.poll(() => mock.counts.open, { interval: 5 }).toBe(0);
    inFlight += victim.slots;
    victim.running = victim.start();
  }
  return { kills: most, inFlight };
}

/** One moment in five is during start-up; the others are between calls. */
async function waitForMoment({ run, mock, pace }: ChaosScene, random: Random): Promise<void> {
  const isOver = () => run.running.child.exitCode !== null;
  if (random.int(5) === 0) {
    await sleep(random.int(400));
    return;
  }
  const until = mock.counts.requests + 1 + random.int(pace);
  await expect.poll(() => mock.counts.requests >= until || isOver(), { interval: 2 }).toBe(true);
  await sleep(random.int(60));
}
