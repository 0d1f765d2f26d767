import { appendFileSync, existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createRandom } from "../src/stats/index.js";
import { type PrintedReport, parseReport, runAssay, startAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const QUESTIONS = Array.from({ length: 50 }, (_, i) => ({
  id: `q${i}`,
  question: `question ${i}?`,
  answer: `answer ${i}`,
}));

/** Two slow systems that are right or wrong depending on the question. Each call logs to stderr. */
const SYSTEMS = `
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const make = (name, wrongEvery) => ({
    name,
    async process(example, { trial, seed }) {
      console.error("CALL");
      await wait(1 + (seed % 5));
      const right = (Number(example.id.slice(1)) + trial) % wrongEvery !== 0;
      return { response: right ? example.answer : "no idea", usage: { input: 10, output: trial }, metadata: { seed } };
    },
  });
  export const systems = [make("good", 7), make("poor", 2)];`;

const ARGS = ["--dataset", "q.jsonl", "--system", "./systems.mjs", "--max-workers", "4", "--output", "json"];

/** Starts the command and kills it with SIGKILL after this many calls. True if it ended by itself before. */
async function runUntil(calls: number, space: TempProject, args: string[]): Promise<boolean> {
  const { child, finished } = startAssay(space.dir, args);
  let seen = 0;
  child.stderr?.on("data", (text: string) => {
    seen += text.split("CALL").length - 1;
    if (seen >= calls) child.kill("SIGKILL");
  });
  return (await finished).signal === null;
}

interface StoredRow {
  system: string;
  exampleId: string;
  trial: number;
  outcome: string;
  attempts?: { message: string }[];
}

function storedRows(space: TempProject): StoredRow[] {
  const text = space.read(space.runs()[0] ?? "", "rows.jsonl");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as StoredRow);
}

const keyOf = ({ system, exampleId, trial }: StoredRow) => `${system} ${exampleId} ${trial}`;

/** A report without times, dates and the name of the run. */
function timeless({ run: _run, ...report }: PrintedReport): unknown {
  const { timing: _timing, ...rest } = report as PrintedReport & { timing: unknown; recommendation: object };
  const summary = Object.entries(rest.summary).map(([system, values]) => [
    system,
    Object.fromEntries(
      Object.entries(values).filter(([key]) => !/^(?:latency_|seconds_per_pass|efficiency$)/.test(key)),
    ),
  ]);
  const rows = rest.rows.map(({ latency: _latency, durationMs: _durationMs, ...row }) => row);
  const recommendation = { ...rest.recommendation, fastest: null, next: null };
  return { ...rest, recommendation, summary: Object.fromEntries(summary), rows };
}

describe("the real command line, killed at random moments", () => {
  it("records every trial exactly once, and reports the same as an uninterrupted run", {
    timeout: 240_000,
  }, async () => {
    const files = { "q.jsonl": QUESTIONS, "systems.mjs": SYSTEMS };
    const whole = parseReport(await runAssay(new TempProject(files).dir, ...ARGS, "--trials", "5"));
    expect(whole.rows).toHaveLength(500);

    const space = new TempProject(files);
    const random = createRandom(20);
    await runUntil(10, space, [...ARGS, "--trials", "5"]);
    for (let kill = 2; kill <= 20; kill++) {
      const [run = ""] = space.runs();
      // A kill in the middle of a write is too rare to wait for.
      if (kill % 5 === 0) appendFileSync(space.path(run, "rows.jsonl"), '{"system":"good","exampl');
      expect(await runUntil(random.int(40), space, ["--resume", run])).toBe(false);
    }
    expect(new Set(storedRows(space).map(keyOf)).size).toBeLessThan(500);
    const last = await runAssay(space.dir, "--resume");
    expect(last.code).toBe(0);

    expect(space.runs()).toHaveLength(1);
    const keys = storedRows(space).map(keyOf);
    expect(keys).toHaveLength(500);
    expect(new Set(keys).size).toBe(500);
    expect(timeless(parseReport(last))).toEqual(timeless(whole));
    expect(existsSync(space.path(space.runs()[0] ?? "", "lock"))).toBe(false);
  });

  it("records a trial before its slot is reused, even for a synchronous system", async () => {
    const blocking = `let calls = 0;
      export default { name: "blocking", process(example) {
        if (++calls === 4) process.kill(process.pid, "SIGKILL");
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
        return { response: example.answer };
      } };`;
    const space = new TempProject({ "q.jsonl": QUESTIONS, "blocking.mjs": blocking });
    const args = ["--dataset", "q.jsonl", "--system", "./blocking.mjs", "--max-workers", "1"];
    const killed = await runAssay(space.dir, ...args);
    expect(killed.signal).toBe("SIGKILL");
    expect(storedRows(space)).toHaveLength(3);
  });

  it("keeps the failed attempts of trials that succeed later", { timeout: 240_000 }, async () => {
    const failsFirst = SYSTEMS.replace(
      'console.error("CALL");',
      `console.error("CALL");
      const marker = "tried-" + [name, example.id, trial].join("-");
      if ((Number(example.id.slice(1)) + trial) % 3 === 0 && !existsSync(marker)) {
        writeFileSync(marker, "");
        throw new Error("down at first");
      }`,
    );
    const system = `import { existsSync, writeFileSync } from "node:fs";\n${failsFirst}`;
    const space = new TempProject({ "q.jsonl": QUESTIONS.slice(0, 20), "systems.mjs": system });
    const random = createRandom(5);
    await runUntil(12, space, [...ARGS, "--trials", "2"]);
    for (let kill = 2; kill <= 4; kill++) await runUntil(random.int(20), space, ["--resume", space.runs()[0] ?? ""]);
    const failed = await runAssay(space.dir, "--resume");
    expect(failed.code).toBe(3);
    const last = await runAssay(space.dir, "--resume");
    expect(last.code).toBe(0);

    const stored = storedRows(space);
    const errors = stored.filter(({ outcome }) => outcome === "error").map(keyOf);
    const others = stored.filter(({ outcome }) => outcome !== "error").map(keyOf);
    expect(errors.length).toBeGreaterThan(0);
    expect(new Set(others).size).toBe(80);
    expect(others).toHaveLength(80);
    for (const row of parseReport(last).rows) {
      const failures = errors
        .filter((key) => key === keyOf(row as unknown as StoredRow))
        .map(() => expect.stringMatching(/^down at first \(.*:\d+\)$/));
      expect(row.attempts.map(({ message }) => message)).toEqual(failures);
      expect(row.outcome).not.toBe("error");
    }
  });
});
