import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { createRandom } from "../../src/stats/index.js";
import { type RedisServer, startRedis } from "../../src/testing/redis-server.js";
import { parseReport, type RunningCommand, runAssay, startAssay } from "../../src/testing/run-assay.js";
import { isCommandMissing } from "../../src/testing/system-command.js";
import { TempProject } from "../../src/testing/temp-project.js";
import { countTrials, dropReportTimes, readJsonLines } from "./stored-fields.js";
import { WorkerPool } from "./worker-pool.js";

const EXAMPLES = 2500;
const TRIALS = 4;
const TOTAL = EXAMPLES * TRIALS * 2;
const WORKERS = 4;
/** Minimum number of kills of each. */
const KILLS = { worker: 6, coordinator: 2, redis: 2 };

/** Answers by trial number, so that the expected results are known on every machine. */
const systemOf = (name: string, ms: number) => `
  import { setTimeout as sleep } from "node:timers/promises";
  export default {
    name: "${name}",
    async process(example, { trial }) {
      await sleep(${ms});
      return { response: trial % 2 === 0 ? example.answer : example.question };
    },
  };`;

const QUESTIONS = Array.from({ length: EXAMPLES }, (_, i) => ({
  id: `e${i}`,
  question: `what is ${i}`,
  answer: i % 3 === 0 ? `what is ${i}` : `it is ${i}`,
}));

describe.skipIf(isCommandMissing("redis-server"))("a run over four workers", () => {
  it("records each of 20,000 trials once while workers, coordinator and Redis are killed, with the same results as a local run", async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const space = new TempProject({
      "quick.mjs": systemOf("quick", 1),
      "slower.mjs": systemOf("slower", 4),
      "data.jsonl": QUESTIONS,
    });
    const what = ["--system", "./quick.mjs", "--system", "./slower.mjs", "--dataset", "data.jsonl"];
    const flags = ["run", ...what, "--trials", String(TRIALS), "--output", "json", "--quiet"];
    const pool = new WorkerPool(space.dir, ["--queue", redis.url, "--lease", "3"]).add(WORKERS);
    const run = new Restartable(space, [...flags, "--queue", redis.url]);

    const kills = await disturb({ run, pool, redis });
    const finished = await run.over;
    expect(kills).toEqual(KILLS);
    expect(finished.code).toBe(0);

    const rows = countTrials(readJsonLines(run.dir, "rows.jsonl"));
    expect(rows.size).toBe(TOTAL);
    expect([...rows].filter(([, count]) => count !== 1)).toEqual([]);
    expect([...countTrials(readJsonLines(run.dir, "outputs.jsonl"))].filter(([, count]) => count !== 1)).toEqual([]);

    const alone = await runAssay(space.dir, ...flags, "--runs-dir", "alone", "--max-workers", "64");
    expect(dropReportTimes(parseReport(finished))).toEqual(dropReportTimes(parseReport(alone)));
    for (const { code, stderr } of await pool.drain()) expect(code, stderr).toBe(0);
  }, 400_000);
});

/** A run that is killed and resumed until it is over. */
class Restartable {
  readonly #space: TempProject;
  #running: RunningCommand;

  constructor(space: TempProject, args: readonly string[]) {
    this.#space = space;
    this.#running = startAssay(space.dir, args);
  }

  get dir(): string {
    return this.#space.path(this.#space.runs()[0] ?? "");
  }

  get over(): RunningCommand["finished"] {
    return this.#running.finished;
  }

  async restart(): Promise<void> {
    this.#running.child.kill("SIGKILL");
    await this.#running.finished;
    this.#running = startAssay(this.#space.dir, ["run", "--resume", this.dir, "--output", "json", "--quiet"]);
  }
}

/** Kills them in random order, with a pause after each, until each had its share. */
async function disturb({ run, pool, redis }: { run: Restartable; pool: WorkerPool; redis: RedisServer }) {
  const random = createRandom(9);
  const left = Object.entries(KILLS).flatMap(([whom, times]) => Array.from({ length: times }, () => whom));
  const killed: Record<string, number> = {};
  await sleep(4000);
  while (left.length > 0) {
    const [whom = ""] = left.splice(random.int(left.length), 1);
    if (whom === "worker") await pool.replace(random.int(WORKERS));
    else if (whom === "coordinator") await run.restart();
    else {
      await redis.kill();
      await sleep(300);
      await redis.start();
    }
    killed[whom] = (killed[whom] ?? 0) + 1;
    await sleep(500 + random.int(1000));
  }
  return killed;
}
