import { execFile } from "node:child_process";
import { chmodSync, readdirSync, symlinkSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { Redis } from "ioredis";
import { describe, expect, it, onTestFinished } from "vitest";
import { listRuns, listWorkers } from "../../src/queue/directory.js";
import { KEYS } from "../../src/queue/keys.js";
import { createSampleAnnouncement, SAMPLE_SIGNER } from "../../src/queue/run-testing.js";
import { readRedisTime } from "../../src/queue/worker-heartbeat.js";
import { describeWithRedis, type RedisServer } from "../../src/testing/redis-server.js";
import {
  type FinishedCommand,
  parseReport,
  type RunningCommand,
  runAssay,
  startAssay,
} from "../../src/testing/run-assay.js";
import { isCommandMissing } from "../../src/testing/system-command.js";
import { CAPITAL_EXAMPLES, ORACLE_SYSTEM, TempProject } from "../../src/testing/temp-project.js";

const QUESTIONS = Array.from({ length: 24 }, (_, i) => ({ id: i, question: `q${i}`, answer: `a${i}` }));

/** Logs its start, and answers once there is a file "go" in its folder; a second start of a trial is logged. */
const WAITS = `import { existsSync } from "node:fs";
  import { setTimeout as sleep } from "node:timers/promises";
  export default { name: "slow", async process(example) {
    console.error("BEGUN " + example.id);
    while (!existsSync("go")) await sleep(20);
    return { response: example.answer };
  } };`;

const BASE = ["run", "--dataset", "q.jsonl", "--output", "json", "--quiet"];

describe.skipIf(isCommandMissing("redis-server"))("runs over a queue", () => {
  let server: RedisServer;
  let redis: Redis;

  describeWithRedis((own) => {
    ({ server, redis } = own);
  });

  function worker(
    cwd: string,
    args: readonly string[] = [],
    env: Readonly<Record<string, string>> = {},
  ): RunningCommand {
    return startAssay(cwd, ["worker", ...args], { ASSAY_QUEUE: server.url, ...env });
  }

  async function until(isSo: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; !(await isSo()); tries++) {
      if (tries > 400) throw new Error("it never was");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  function isThere(pid: number): boolean {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  }

  /** The process that a worker started for a run. */
  async function processOf(running: RunningCommand): Promise<number> {
    await running.says("BEGUN");
    const own = (await listWorkers(redis)).find(({ run, pid }) => run !== null && pid !== running.child.pid);
    if (own === undefined) throw new Error("the process of the run does not show itself");
    return own.pid;
  }

  it("keys stay with the workers: neither the coordinator, nor Redis, nor the run folder has them", async () => {
    const { url, asked } = await startModel();
    const space = new TempProject({ "q.jsonl": CAPITAL_EXAMPLES });
    const allowed = ["--allow-env", "MY_KEY", "--header", "X-Api-Key: header-secret"];
    const serving = worker(space.dir, ["--once", ...allowed], { MY_KEY: "variable-secret" });
    const model = [
      "--proxy",
      url,
      "--model",
      "m",
      "--name",
      "m",
      "--api-key-env",
      "MY_KEY",
      "--header",
      "X-Team: evals",
    ];
    const queue = server.url.replace("redis://", "redis://:hunter2@");
    const seen: string[] = [];
    const watching = setInterval(() => void redis.keys("*").then(async (keys) => seen.push(await textOf(keys))), 50);
    const report = parseReport(await runAssay(space.dir, ...BASE, ...model, "--queue", queue));
    clearInterval(watching);
    const served = await serving.finished;
    expect(served).toMatchObject({ code: 0 });
    expect(served.stderr).toMatch(/Joining \S+ \(q: m\): 4 planned trials\n/);
    expect(served.stderr).toMatch(/Done with \S+: 4 trials delivered\n$/);
    expect(report.summary.m).toMatchObject({ num_planned: 4, num_pass: 1 });
    expect(asked).toHaveLength(4);
    for (const headers of asked)
      expect(headers).toMatchObject({
        ...{ authorization: "Bearer variable-secret", "x-api-key": "header-secret", "x-team": "evals" },
      });
    const [run = ""] = space.runs();
    const kept = ["manifest.json", "rows.jsonl", "outputs.jsonl", "queue.json"].map((file) => space.read(run, file));
    expect(kept.join()).not.toMatch(/secret|hunter2/);
    expect(JSON.parse(space.read(run, "manifest.json"))).toMatchObject({
      invocation: { flags: { queue: server.url, headers: { "X-Team": "evals" } } },
    });
    expect(seen.join()).toContain("assay:run:");
    expect(seen.join()).not.toMatch(/secret|hunter2/);
    expect(await listRuns(redis)).toEqual([]);
  });

  /** Writes an announcement into Redis like an attacker with access to it. */
  async function forge(flags: object): Promise<void> {
    const key = "forged-0123abcd";
    const invocation = { command: "run", cwd: "/", configFile: null, flags };
    const source = { kind: "command" as const, invocation };
    await redis.set(KEYS.run(key), SAMPLE_SIGNER.signAnnouncement(createSampleAnnouncement(key, { source })));
    await redis.zadd(KEYS.runs, (await readRedisTime(redis)) + 60_000, key);
  }

  it("write access to Redis neither runs a command on a worker nor reads its variables", async () => {
    const { url, asked } = await startModel();
    const space = new TempProject({ "q.jsonl": CAPITAL_EXAMPLES });
    const env = { AWS_SECRET_ACCESS_KEY: "aws-secret", OPENAI_API_KEY: "usual-secret" };
    const attack = async (flags: object, more: Readonly<Record<string, string>> = {}) => {
      await forge({ datasets: ["q.jsonl"], ...flags });
      return worker(space.dir, ["--once"], { ...env, ...more }).finished;
    };
    const command = { agents: [{ command: `sh -c "(id; env) > ${space.path("stolen")}" {prompt}` }] };
    const refused = await attack(command);
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatch(/Not joining .*the command .*start the worker with --allow systems,models,c/);
    const proxy = { models: [{ proxy: url, model: "m" }] };
    const named = await attack({ ...proxy, apiKeyEnv: "AWS_SECRET_ACCESS_KEY" });
    expect(named.stderr).toMatch(/the environment variable AWS_SECRET_ACCESS_KEY.*--allow-env AWS_SECRET_ACCESS_KEY/);
    expect((await attack(proxy)).stderr).toContain("OPENAI_API_KEY, AWS_SECRET_ACCESS_KEY are withheld from it");
    const secret = { ASSAY_QUEUE_SECRET: "a secret of run and workers" };
    expect((await attack({}, secret)).stderr).toContain("its announcement is not signed with this worker's secret");
    expect(asked.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
    expect(readdirSync(space.dir)).toEqual(["q.jsonl"]);
  });

  it("a run and a worker with the same secret work together, and Redis never contains it", async () => {
    const env = { ASSAY_QUEUE_SECRET: "a secret of run and workers" };
    const space = new TempProject({ "q.jsonl": CAPITAL_EXAMPLES, "oracle.mjs": ORACLE_SYSTEM });
    const running = startAssay(space.dir, [...BASE, "--system", "./oracle.mjs", "--queue", server.url], env);
    const other = await worker(space.dir, ["--once"], { ASSAY_QUEUE_SECRET: "another secret, as long" }).finished;
    expect(other.stderr).toContain("its announcement is not signed with this worker's secret");
    expect(await textOf(await redis.keys("*"))).not.toContain("a secret of run and workers");
    const serving = worker(space.dir, ["--once"], env);
    expect(parseReport(await running.finished).summary.oracle).toMatchObject({ num_pass: 4 });
    expect(await serving.finished).toMatchObject({ code: 0 });
  });

  async function textOf(keys: readonly string[]): Promise<string> {
    const texts = keys.filter((key) => /^assay:(?:run|worker):[^:]*$/.test(key)).map((key) => redis.get(key));
    return `${keys.join("\n")}\n${(await Promise.all(texts)).join("\n")}`;
  }

  it("the worker creates a config file's systems, plugins and evaluators in its own copy of the project", async () => {
    const config = `export default {
      systems: [{ name: "own", process: (example) => ({ response: example.answer + process.env.MARK }) }, "./oracle.mjs"],
      datasets: ["q.jsonl"], plugins: ["./plugin.mjs"], evaluators: ["marked"], queue: ${JSON.stringify(server.url)} };`;
    const plugin = `export const register = (registry) => registry.register("evaluator", "marked",
      { name: "marked", score: (_, { response }) => ({ marked: response.endsWith("!") ? 1 : 0 }) });`;
    const files = {
      "q.jsonl": CAPITAL_EXAMPLES,
      "oracle.mjs": ORACLE_SYSTEM,
      "assay.config.mjs": config,
      "plugin.mjs": plugin,
    };
    const [here, there] = [new TempProject(files), new TempProject(files)];
    const serving = worker(here.dir, ["--once", "--project", there.dir], { MARK: "!" });
    const finished = await runAssay(here.dir, "run", "--output", "json", "--quiet", "--trials", "2");
    expect(await serving.finished).toMatchObject({ code: 0 });
    expect(parseReport(finished).summary).toMatchObject({
      own: { num_planned: 8, pass_rate: 1 },
      oracle: { num_planned: 8, pass_rate: 0 },
    });
    const graded = await runAssay(here.dir, "grade", "--evaluator", "answer_quality", "--output", "json", "--quiet");
    expect(parseReport(graded).summary).toMatchObject({ oracle: { pass_rate: 1 } });
  });

  it("large outputs go through the shared folder, each machine with its own path", async () => {
    const long = `export default { name: "long", process: (example) => ({ response: example.answer, trace: "x".repeat(1_100_000) }) };`;
    const space = new TempProject({ "q.jsonl": CAPITAL_EXAMPLES, "long.mjs": long, "shared/.keep": "" });
    symlinkSync(space.path("shared"), space.path("mounted"));
    const serving = worker(space.dir, ["--once", "--shared-dir", "mounted"]);
    const args = ["--system", "./long.mjs", "--queue", server.url, "--shared-dir", "shared"];
    const report = parseReport(await runAssay(space.dir, ...BASE, ...args));
    expect(await serving.finished).toMatchObject({ code: 0 });
    expect(report.summary.long).toMatchObject({ num_pass: 4 });
    // The run's own folder there is removed with the run.
    expect(readdirSync(space.path("shared"))).toEqual([".keep"]);
    const shown = await runAssay(space.dir, "show", "latest", "fr", "--output", "json");
    expect(shown.stdout.length).toBeGreaterThan(1_000_000);
  });

  it("a worker with different files refuses and reports the difference to both sides; one with the same files does the work", async () => {
    const space = new TempProject({ "q.jsonl": CAPITAL_EXAMPLES, "oracle.mjs": ORACLE_SYSTEM });
    const other = new TempProject({
      "q.jsonl": CAPITAL_EXAMPLES.slice(1),
      "oracle.mjs": `${ORACLE_SYSTEM}\n// another`,
    });
    const running = startAssay(space.dir, [...BASE, "--system", "./oracle.mjs", "--queue", server.url]);
    const refusing = await worker(other.dir, ["--once", "--project", "."]).finished;
    expect(refusing.code).toBe(3);
    expect(refusing.stderr).toMatch(
      /Not joining \S+: its plan differs from the run's:\n {2}datasets: was .*4 examples.*is .*3 examples.*\n {2}system "oracle": its code or settings changed\n/,
    );
    await running.says("does not join: its plan differs from the run's:");
    const [right, wrong] = [worker(space.dir, ["--once"]), worker(other.dir, ["--project", "."])];
    const finished = await running.finished;
    expect(parseReport(finished).summary.oracle).toMatchObject({ num_pass: 4 });
    expect(await right.finished).toMatchObject({ code: 0 });
    wrong.child.kill("SIGTERM");
    expect(await wrong.finished).toMatchObject({ code: 0 });
  });

  it("on SIGTERM a worker finishes its trials and exits with 0; others do the rest, and no trial is run twice", async () => {
    const space = new TempProject({ "q.jsonl": QUESTIONS, "slow.mjs": WAITS });
    const running = startAssay(space.dir, [...BASE, "--system", "./slow.mjs", "--queue", server.url]);
    const first = worker(space.dir, ["--concurrency", "3"]);
    await first.says("BEGUN");
    await until(async () => (await listWorkers(redis)).some(({ active }) => active === 3));
    // The process of the run reports to its worker once a second, and to nothing else.
    await new Promise((resolve) => setTimeout(resolve, 1100));
    first.child.kill("SIGTERM");
    await first.says("Finishing 3 trials; press Ctrl-C again to quit at once.");
    space.write("go", "");
    const second = worker(space.dir, ["--once"]);
    const stopped = await first.finished;
    expect(stopped).toMatchObject({ code: 0, signal: null });
    const report = parseReport(await running.finished);
    const begun = [stopped, await second.finished].flatMap(begunIn);
    expect(begun.sort((a, b) => a - b)).toEqual(QUESTIONS.map(({ id }) => id));
    expect(report.rows.map(({ outcome }) => outcome)).toEqual(QUESTIONS.map(() => "pass"));
  });

  it("a trial that kills its process is one error: concurrent ones are run again, and pass", async () => {
    const deadly = `import { appendFileSync } from "node:fs";
      import { setTimeout as sleep } from "node:timers/promises";
      export default { name: "deadly", async process(example) {
        appendFileSync("begun", example.id + "\\n");
        // Its neighbors have begun by then, and none is done.
        await sleep(example.id === 5 ? 300 : 600);
        if (example.id === 5) process.kill(process.pid, "SIGKILL");
        return { response: example.answer };
      } };`;
    const space = new TempProject({ "q.jsonl": QUESTIONS, "deadly.mjs": deadly, begun: "" });
    const workers = [1, 2].map(() => worker(space.dir, ["--lease", "3", "--concurrency", "8"]));
    const finished = await runAssay(space.dir, ...BASE, "--system", "./deadly.mjs", "--queue", server.url);
    const failed = parseReport(finished).rows.filter(({ outcome }) => outcome !== "pass");
    expect(failed.map(({ exampleId }) => exampleId)).toEqual([5]);
    const message = "its process crashed 3 times while it ran alone, so the trial is the cause";
    expect(failed[0]).toMatchObject({ outcome: "error", attempts: [{ message }] });
    const begun = space.read("begun").trimEnd().split("\n").map(Number);
    for (const { id } of QUESTIONS)
      expect(begun.filter((each) => each === id).length).toBeLessThanOrEqual(id === 5 ? 4 : 2);
    for (const { child } of workers) child.kill("SIGTERM");
    for (const { finished: ended } of workers) expect(await ended).toMatchObject({ code: 0 });
  });

  it("a worker that lacks something is dismissed, and others run the trials that it failed", async () => {
    const needs = `import { setTimeout as sleep } from "node:timers/promises";
      export default { name: "needs", async process(example) {
        if (process.env.NEEDED !== "yes") throw new Error("NEEDED is not set");
        await sleep(20);
        return { response: example.answer };
      } };`;
    const many = Array.from({ length: 1000 }, (_, id) => ({ id, question: `q${id}`, answer: `a${id}` }));
    const space = new TempProject({ "q.jsonl": many, "needs.mjs": needs });
    const good = [1, 2].map(() => worker(space.dir, [], { NEEDED: "yes" }));
    const bad = worker(space.dir);
    await until(async () => (await listWorkers(redis)).length === 3);
    const finished = await runAssay(space.dir, ...BASE, "--system", "./needs.mjs", "--queue", server.url);
    const report = parseReport(finished);
    expect(report.summary.needs).toMatchObject({ num_pass: 1000, num_error: 0 });
    expect(report.notes.filter((note) => note.includes("worker"))).toEqual([
      expect.stringMatching(
        /^the worker \S+ was dismissed because it fails where others succeed: \d+ of its last \d+ trials of needs are errors \(NEEDED is not set \(needs\.mjs:3\)\)\. Others run its failed trials$/,
      ),
    ]);
    const failed = report.rows.filter(({ attempts }) => (attempts as unknown[]).length > 0);
    expect(failed.length).toBeGreaterThanOrEqual(10);
    await bad.says("Dismissed from");
    for (const { child } of good) child.kill("SIGTERM");
    for (const { finished: ended } of good) expect(await ended).toMatchObject({ code: 0 });
    // It stays for other runs.
    const other = await runAssay(space.dir, ...BASE, "--system", "./needs.mjs", "-n", "1", "--queue", server.url);
    expect(parseReport(other).rows).toMatchObject([{ outcome: "error" }]);
    bad.child.kill("SIGTERM");
    expect((await bad.finished).stderr.match(/Dismissed from/g)).toHaveLength(1);
  });

  it("if all workers fail, none is dismissed", async () => {
    const fails = `export default { name: "fails", process() { throw new Error("it is not the worker"); } };`;
    const space = new TempProject({ "q.jsonl": QUESTIONS, "fails.mjs": fails });
    const workers = [1, 2].map(() => worker(space.dir));
    const finished = await runAssay(
      space.dir,
      ...BASE,
      "--system",
      "./fails.mjs",
      "--trials",
      "5",
      "--queue",
      server.url,
    );
    const report = parseReport(finished);
    expect(report.summary.fails).toMatchObject({ num_error: 120 });
    expect(report.notes.join()).not.toContain("was dismissed");
    for (const { child } of workers) child.kill("SIGTERM");
    for (const { finished: ended } of workers) expect(await ended).toMatchObject({ code: 0 });
  });

  function begunIn({ stderr }: FinishedCommand): number[] {
    return Array.from(stderr.matchAll(/^\S+: BEGUN (\d+)$/gm), ([, id]) => Number(id));
  }

  it("trials not done within --drain-timeout are given back, and another worker runs them at once", async () => {
    const space = new TempProject({ "q.jsonl": QUESTIONS, "slow.mjs": WAITS });
    const running = startAssay(space.dir, [...BASE, "--system", "./slow.mjs", "--queue", server.url]);
    // Longer than the test may take, so that nothing waits for its end.
    const first = worker(space.dir, ["--concurrency", "3", "--drain-timeout", "1", "--lease", "600"]);
    await first.says("BEGUN");
    await until(async () => (await listWorkers(redis)).some(({ active }) => active === 3));
    first.child.kill("SIGTERM");
    const stopped = await first.finished;
    expect(stopped).toMatchObject({ code: 0, signal: null });
    expect(stopped.stderr).toContain("still running after 1 s: left to other workers.");
    space.write("go", "");
    const second = worker(space.dir, ["--once"]);
    const report = parseReport(await running.finished);
    expect(report.rows.map(({ outcome }) => outcome)).toEqual(QUESTIONS.map(() => "pass"));
    expect(begunIn(await second.finished)).toHaveLength(QUESTIONS.length);
  });

  it("a second signal ends a worker and its processes at once", async () => {
    const space = new TempProject({ "q.jsonl": QUESTIONS, "slow.mjs": WAITS });
    const running = startAssay(space.dir, [...BASE, "--system", "./slow.mjs", "--queue", server.url]);
    const serving = worker(space.dir);
    const pid = await processOf(serving);
    serving.child.kill("SIGINT");
    await serving.says("press Ctrl-C again");
    // Any sooner, it would count as the same key press, which npx forwards.
    await sleep(600);
    serving.child.kill("SIGINT");
    expect(await serving.finished).toMatchObject({ code: 130 });
    await until(async () => !isThere(pid));
    running.child.kill("SIGKILL");
  });

  it("the process of a run exits with its worker, however that ends", async () => {
    const space = new TempProject({ "q.jsonl": QUESTIONS, "slow.mjs": WAITS });
    const running = startAssay(space.dir, [...BASE, "--system", "./slow.mjs", "--queue", server.url]);
    const serving = worker(space.dir);
    const pid = await processOf(serving);
    serving.child.kill("SIGKILL");
    await until(async () => !isThere(pid));
    running.child.kill("SIGKILL");
  });

  it("a stopped run is resumed over the same queue, or without it, and a worker stays with it", async () => {
    const space = new TempProject({ "q.jsonl": QUESTIONS, "slow.mjs": WAITS });
    const serving = worker(space.dir, ["--concurrency", "2"]);
    const running = startAssay(space.dir, [...BASE, "--system", "./slow.mjs", "--queue", server.url]);
    await serving.says("BEGUN");
    running.child.kill("SIGINT");
    const stopped = await running.finished;
    expect(stopped.code).toBe(130);
    const [run = ""] = space.runs();
    expect(await listRuns(redis)).toMatchObject([
      { isCoordinated: false, startedBy: { command: "run", cwd: space.dir } },
    ]);
    space.write("go", "");
    const resumed = await runAssay(space.dir, "run", "--resume", "--quiet");
    expect(resumed.code).toBe(0);
    expect(parseReport(resumed).summary.slow).toMatchObject({ num_planned: 24, num_pass: 24 });
    expect(space.read(run, "rows.jsonl").trimEnd().split("\n")).toHaveLength(24);
    serving.child.kill("SIGTERM");
    expect(await serving.finished).toMatchObject({ code: 0 });
  });

  it("--no-queue finishes it here if the queue is gone", async () => {
    const space = new TempProject({ "q.jsonl": QUESTIONS, "slow.mjs": WAITS });
    const running = startAssay(space.dir, [
      "run",
      ...BASE.slice(1, 5),
      "--system",
      "./slow.mjs",
      "--queue",
      server.url,
    ]);
    await until(async () => (await listRuns(redis)).length === 1);
    running.child.kill("SIGINT");
    await running.finished;
    await redis.flushall();
    space.write("go", "");
    const resumed = await runAssay(space.dir, "run", "--resume", "--no-queue", "--quiet");
    expect(parseReport(resumed).summary.slow).toMatchObject({ num_pass: 24 });
    expect(resumed.stderr).toContain("BEGUN 0");
  });

  it("evals with agents work, and the agent need not be installed on the coordinator", async () => {
    const evals = `name: greets\nstimuli:\n  - name: hello\n    prompt: Say hi\n    graders:\n      - type: output-contains\n        config: { substring: "hi there" }\ndefaults:\n  executor: "greeter {prompt}"\n  runs: 2\n`;
    const space = new TempProject({ "eval.yaml": evals, "bin/greeter": "#!/bin/sh\necho hi there\n" });
    chmodSync(space.path("bin/greeter"), 0o755);
    const serving = worker(space.dir, ["--once"], { PATH: `${space.path("bin")}:${process.env.PATH}` });
    const finished = await runAssay(space.dir, "eval", "--queue", server.url, "--quiet");
    expect(finished.stdout).toContain("2 of 2 trials passed");
    expect(await serving.finished).toMatchObject({ code: 0 });
  });

  it("the run of a program is rebuilt from the module that it names", async () => {
    const options = `import { AnswerQuality } from "assay";
      export default () => ({ systems: [{ name: "own", process: ({ answer }) => ({ response: answer }) }],
        dataset: ${JSON.stringify(CAPITAL_EXAMPLES)}, evaluators: [new AnswerQuality()] });`;
    const program = `import { evaluate } from "assay"; import options from "./options.mjs";
      const source = { kind: "module", path: "options.mjs", cwd: process.cwd() };
      const result = await evaluate({ ...options(), runsDir: "runs", queue: { url: ${JSON.stringify(server.url)}, source } });
      console.log(result.rows.filter(({ passed }) => passed).length);`;
    const space = new TempProject({ "options.mjs": options, "program.mjs": program });
    space.linkAssay();
    const serving = worker(space.dir, ["--once"]);
    const { stdout } = await promisify(execFile)(process.execPath, ["program.mjs"], { cwd: space.dir });
    expect(stdout).toBe("4\n");
    expect(await serving.finished).toMatchObject({ code: 0 });
  });

  it("--serve is rejected on the command line", async () => {
    const { code, stderr } = await runAssay(new TempProject().dir, "worker", "--serve");
    expect(code).toBe(2);
    expect(stderr).toContain("--serve is only for processes that assay worker starts.");
  });
});

/** An OpenAI-compatible endpoint that answers Paris and records request headers. */
async function startModel(): Promise<{ url: string; asked: IncomingHttpHeaders[] }> {
  const asked: IncomingHttpHeaders[] = [];
  const model = createServer((request, response) => {
    asked.push(request.headers);
    const choices = [{ index: 0, message: { role: "assistant", content: "Paris" }, finish_reason: "stop" }];
    request.resume().on("end", () => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ id: "1", choices, usage: { prompt_tokens: 3, completion_tokens: 1 } }));
    });
  });
  await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void model.close());
  return { url: `http://127.0.0.1:${(model.address() as AddressInfo).port}`, asked };
}
