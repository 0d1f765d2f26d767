import { describe, expect, it, onTestFinished } from "vitest";
import { startMock } from "../../src/testing/mock/index.js";
import { type RedisServer, startRedis } from "../../src/testing/redis-server.js";
import { type FinishedCommand, parseReport, runAssay, startAssay } from "../../src/testing/run-assay.js";
import { isCommandMissing } from "../../src/testing/system-command.js";
import { TempProject } from "../../src/testing/temp-project.js";
import { countTrials, dropReportTimes, readJsonLines } from "./stored-fields.js";

const TOTAL = 12;
const GRADED = 4;
/** Concurrent trials. */
const SLOTS = 3;
const QUESTIONS = Array.from({ length: TOTAL }, (_, i) => ({ id: `e${i}`, question: `q ${i}?`, answer: "Paris" }));

/** Grades at once if there is a file "go"; before that, it grades four and then waits for that file. */
const SLOW_JUDGE = `import { existsSync } from "node:fs";
  import { setTimeout as sleep } from "node:timers/promises";
  let graded = 0;
  export default { name: "slow_judge", fields: ["right"], async score(example, { response }, { signal }) {
    if (++graded > ${GRADED}) while (!existsSync("go")) await sleep(50, undefined, { signal });
    return { right: response.includes("Paris") ? 1 : 0 };
  } };`;

const MODELS = `small:
  base_url: URL/v1
  pricing: { input_per_1k: 0.001, output_per_1k: 0.002 }
`;

const RUN = ["run", "--model", "small", "--dataset", "q.jsonl", "--evaluator", "./slow.mjs", "--max-cost", "1"];

interface Receipt {
  spentUsd: number;
  trialsUsd: number;
  ungradedUsd: number;
  lostUsd: number;
  repeatedUsd: number;
}

async function bench() {
  const mock = await startMock({ reply: "It is Paris." });
  onTestFinished(() => mock.close());
  const models = MODELS.replace("URL", mock.url);
  const space = new TempProject({ "q.jsonl": QUESTIONS, "slow.mjs": SLOW_JUDGE, "models.yml": models });
  return { space, mock };
}

async function startedRedis(): Promise<RedisServer> {
  const redis = await startRedis();
  onTestFinished(() => redis.stop());
  return redis;
}

function startWorker(space: TempProject, redis: RedisServer) {
  return startAssay(space.dir, ["worker", "--queue", redis.url, "--lease", "3", "--concurrency", String(SLOTS)]);
}

/** The budget receipt of a report. */
function receiptOf(finished: FinishedCommand): Receipt {
  return (parseReport(finished) as unknown as { budget: Receipt }).budget;
}

/** Stored rows and outputs of the only run. */
function stored(space: TempProject): [rows: number, outputs: number] {
  const dir = space.path(space.runs()[0] ?? "");
  try {
    const rows = readJsonLines(dir, "rows.jsonl").filter(({ kind }) => kind === undefined);
    return [rows.length, readJsonLines(dir, "outputs.jsonl").length];
  } catch {
    return [0, 0];
  }
}

describe.skipIf(isCommandMissing("redis-server"))("outputs that workers grade", () => {
  it("are paid for once if the worker is killed while grading", async () => {
    const whole = await bench();
    whole.space.write("go", "");
    const alone = await runAssay(whole.space.dir, ...RUN, "--output", "json");

    const { space, mock } = await bench();
    const redis = await startedRedis();
    const first = startWorker(space, redis);
    const running = startAssay(space.dir, [...RUN, "--output", "json", "--queue", redis.url]);
    await expect.poll(() => stored(space)).toEqual([GRADED, GRADED + SLOTS]);
    first.child.kill("SIGKILL");
    await first.finished;
    space.write("go", "");
    const second = startWorker(space, redis);
    const finished = await running.finished;
    second.child.kill("SIGTERM");
    await second.finished;

    expect(finished.code, finished.stderr).toBe(0);
    expect(mock.counts.requests).toBe(TOTAL);
    expect(dropReportTimes(parseReport(finished))).toEqual(dropReportTimes(parseReport(alone)));
    const { spentUsd, ...parts } = receiptOf(finished);
    expect(spentUsd).toBeCloseTo(receiptOf(alone).spentUsd, 9);
    expect(parts).toMatchObject({ trialsUsd: receiptOf(alone).trialsUsd, lostUsd: 0, repeatedUsd: 0 });
    const dir = space.path(space.runs()[0] ?? "");
    expect([...countTrials(readJsonLines(dir, "outputs.jsonl")).values()]).toEqual(Array(TOTAL).fill(1));
  });

  it("are paid for once if a local run is killed and resumed over a queue", async () => {
    const { space, mock } = await bench();
    const local = startAssay(space.dir, [...RUN, "--max-workers", String(SLOTS)]);
    await expect.poll(() => stored(space)).toEqual([GRADED, GRADED + SLOTS]);
    local.child.kill("SIGKILL");
    await local.finished;
    space.write("go", "");
    const redis = await startedRedis();
    const worker = startWorker(space, redis);
    const finished = await runAssay(space.dir, "run", "--resume", "--queue", redis.url, "--output", "json");
    worker.child.kill("SIGTERM");
    await worker.finished;

    expect(finished.code, finished.stderr).toBe(0);
    expect(mock.counts.requests).toBe(TOTAL);
    const { spentUsd, trialsUsd, lostUsd } = receiptOf(finished);
    expect(lostUsd).toBe(0);
    expect(spentUsd).toBeCloseTo(trialsUsd, 9);
  });

  it("are in the receipt of a stopped run, and are paid for once when it is resumed on another worker", async () => {
    const { space, mock } = await bench();
    const redis = await startedRedis();
    const first = startWorker(space, redis);
    const running = startAssay(space.dir, [...RUN, "--output", "json", "--queue", redis.url]);
    await expect.poll(() => stored(space)).toEqual([GRADED, GRADED + SLOTS]);
    running.child.kill("SIGINT");
    const stopped = receiptOf(await running.finished);
    expect(stopped.ungradedUsd).toBeGreaterThan(0);
    expect(stopped.trialsUsd + stopped.ungradedUsd).toBeCloseTo(stopped.spentUsd, 9);
    expect(stopped.repeatedUsd).toBe(0);
    first.child.kill("SIGKILL");
    await first.finished;

    space.write("go", "");
    const second = startWorker(space, redis);
    const resumed = await runAssay(space.dir, "run", "--resume", "--output", "json");
    second.child.kill("SIGTERM");
    await second.finished;
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(mock.counts.requests).toBe(TOTAL);
    const { spentUsd, trialsUsd, ungradedUsd, lostUsd } = receiptOf(resumed);
    expect({ ungradedUsd, lostUsd }).toEqual({ ungradedUsd: 0, lostUsd: 0 });
    expect(spentUsd).toBeCloseTo(trialsUsd, 9);
  });
});

/** Logs each trial that it starts, and is slow. */
const TELLS = `import { appendFileSync } from "node:fs";
  import { setTimeout as sleep } from "node:timers/promises";
  export default { name: "s", async process(example) {
    appendFileSync("begun.jsonl", JSON.stringify({ system: "s", exampleId: example.id, trial: 0 }) + "\\n");
    await sleep(500 + 100 * (example.id.length + (example.id.charCodeAt(1) % 5)));
    return { response: example.answer };
  } };`;

describe.skipIf(isCommandMissing("redis-server"))("trials of a run that is killed and resumed", () => {
  it("are run once: neither trials that workers still have nor delivered ones are run again", async () => {
    const redis = await startedRedis();
    const questions = Array.from({ length: 60 }, (_, i) => ({ id: `e${i}`, question: `q ${i}?`, answer: "Paris" }));
    const space = new TempProject({ "s.mjs": TELLS, "q.jsonl": questions });
    const workers = [startWorker(space, redis), startWorker(space, redis)];
    const flags = ["--output", "json", "--queue", redis.url];
    let running = startAssay(space.dir, ["run", "--system", "./s.mjs", "--dataset", "q.jsonl", ...flags]);
    for (let kills = 1; kills <= 4; kills++) {
      await expect.poll(() => stored(space)[0]).toBeGreaterThan(10 * kills - 5);
      running.child.kill("SIGKILL");
      await running.finished;
      running = startAssay(space.dir, ["run", "--resume", "--output", "json"]);
    }
    const finished = await running.finished;
    for (const { child } of workers) child.kill("SIGTERM");
    await Promise.all(workers.map((worker) => worker.finished));
    expect(finished.code, finished.stderr).toBe(0);
    const begun = countTrials(readJsonLines(space.dir, "begun.jsonl"));
    expect([...begun].filter(([, count]) => count > 1)).toEqual([]);
    expect(begun.size).toBe(questions.length);
  });
});
