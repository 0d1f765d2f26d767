import { describe, expect, it } from "vitest";
import { evaluate, GraderEvaluator, type System, type Usage } from "../../src/index.js";
import type { MockOptions } from "../../src/testing/mock/index.js";
import {
  ADAPTED_AGENTS,
  COMMAND_AGENTS,
  expectNothingLeft,
  fillUsage,
  MODELS,
  openRealAgent,
  startMockModel,
  sumMockUsage,
  THOROUGH_AGENTS,
  tryAgent,
} from "./real-agent.js";

const GREETING = `hello-from-${process.pid}-${Date.now()}`;
const HELLO = `echo ${GREETING} > hello.txt && cat hello.txt`;
const GRADERS = [{ type: "file-contains", config: { path: "hello.txt", value: GREETING } }];

/** Kills the program that the test started for this trial. */
const KILLER = `
import { readdirSync, readFileSync } from "node:fs";
for (const pid of readdirSync("/proc").filter((name) => /^[0-9]+$/.test(name))) {
  try {
    const parent = readFileSync("/proc/" + pid + "/stat", "utf8").split(") ").at(-1).split(" ")[1];
    const isOurs = readFileSync("/proc/" + pid + "/environ", "utf8").includes("ASSAY_TRIAL=" + process.env.ASSAY_TRIAL);
    if (parent === "${process.pid}" && isOurs) process.kill(Number(pid), "SIGKILL");
  } catch {}
}
`;

/** A long output that the agent can handle: some take very long to parse a long command. */
function longAnswer(name: string): MockOptions {
  const long = "x".repeat(20_000_000);
  const first = { command: HELLO };
  const last = { text: "Done." };
  if (name === "codex") return { tools: [first, { text: long }] };
  if (name === "gemini") return { tools: [first, { name: "read_file", arguments: { file_path: long } }, last] };
  if (name === "opencode") return { tools: [first, { name: "read", arguments: { filePath: long } }, last] };
  return { tools: [first, { command: `: ${long}` }, last] };
}

const CHOKES = new Set(["gemini", "opencode"]);

/** A number that no other process has in its arguments. */
const unique = () => `${Math.floor(31_000_000 + Math.random() * 9_000_000)}`;

describe.each(ADAPTED_AGENTS.map(({ name, version }) => [name, version]))("real %s %s", (name) => {
  it("receives the task unchanged, solves it, and its row has the tokens that the endpoint counted", async () => {
    const text = "Done: hello.txt is there, and it holds what it was to hold.";
    const script = { tools: [{ command: HELLO }, { text }], tokensPerSec: 100, chunkTokens: 2, keepBodies: true };
    const question = `-exit code 2, "500" or 1e3 and 0x10\n\n$HOME \`x\` 'quoted' ü, {prompt} and /done`;
    const { row, calls } = await tryAgent(name, { script, example: { question, graders: GRADERS } });
    expect(JSON.stringify(calls.map(({ body }) => body))).toContain(JSON.stringify(question).slice(1, -1));
    expect(row, JSON.stringify(row.attempts)).toMatchObject({
      outcome: "pass",
      errorCategory: "none",
      costSource: "priced",
    });
    expect(fillUsage(row)).toEqual(sumMockUsage(calls));
    expect(row.turns).toBe(2);
    expect(row.firstAttemptMs).toBeGreaterThan(0);
    expect(row.successAtMs).toBeGreaterThan(0);
    expect(row.successAtMs).toBeLessThanOrEqual(row.durationMs ?? 0);
    expect(row.costUsd).toBeGreaterThan(0);
    expect(row.tokensPerSec).toBeGreaterThan(0);
    expect(row.metadata).toMatchObject({ agent: name, meter: "gateway", toolCalls: 1, requests: calls.length });
    expect(row.notes.filter((note) => note.startsWith("unknown events"))).toEqual([]);
    expectNothingLeft(GREETING);
  });

  it("ends with an infrastructure error if its key is refused", async () => {
    const { row } = await tryAgent(name, { script: { faults: [{ kind: 401 }] } });
    expect(row, JSON.stringify(row)).toMatchObject({ outcome: "error", errorCategory: "api_error", scores: {} });
    expect(row.attempts.at(-1)?.message).toContain(name);
    expectNothingLeft(GREETING);
  });
});

describe.each(COMMAND_AGENTS.map(({ name, version }) => [name, version]))("real %s %s, a command", (name) => {
  it("solves a task, and its row has the tokens that the endpoint counted", async () => {
    const script = { tools: [{ command: HELLO }, { text: "Done." }] };
    const { row, calls } = await tryAgent(name, { script, example: { graders: GRADERS } });
    expect(row, JSON.stringify(row.attempts)).toMatchObject({
      outcome: "pass",
      errorCategory: "none",
      costSource: "priced",
      metadata: { agent: name, meter: "gateway", requests: calls.length },
    });
    expect(row.costUsd).toBeGreaterThan(0);
    expect(fillUsage(row)).toEqual(sumMockUsage(calls));
    expectNothingLeft(GREETING);
  });
});

describe.each(THOROUGH_AGENTS.map(({ name, version }) => [name, version]))("real %s %s in trouble", (name) => {
  it("is stopped by its budget within one request, and graded on what it left", async () => {
    const steps = Array.from({ length: 40 }, (_, i) => ({ command: `echo step-${i} >> steps.txt` }));
    const usage = { input: 20_000, cacheRead: 0 };
    const script = { tools: [{ command: HELLO }, ...steps], usage };
    const free = await tryAgent(name, {
      script: { tools: [{ command: HELLO }], usage },
      example: { graders: GRADERS },
    });
    const perRequest = (free.row.costUsd ?? 0) / free.calls.length;
    const { row, calls } = await tryAgent(name, {
      script,
      example: { graders: GRADERS },
      maxCostUsd: perRequest * 5.5,
    });
    expect(row, JSON.stringify(row.attempts)).toMatchObject({ outcome: "pass", errorCategory: "cost_killed" });
    expect(row.costKilledAt).toBeGreaterThan(perRequest * 5.5);
    expect(row.overshootUsd).toBeLessThanOrEqual(perRequest * 1.1);
    // The part of the truncated answer that was sent is billed, not the rest.
    const [billed, counted] = [fillUsage(row), sumMockUsage(calls)];
    expect(billed.input).toBe(counted.input);
    expect(billed.output).toBeLessThanOrEqual(counted.output);
    expect(calls.length).toBeLessThanOrEqual(7);
    expect(row.turns).toBeGreaterThan(0);
    expectNothingLeft(GREETING);
  });

  it.each([
    [429, "rate_limit"],
    [500, "api_error"],
  ] as const)("ends with an infrastructure error if the model answers %i", async (kind, category) => {
    const { row } = await tryAgent(name, { script: { faults: [{ kind, ...(kind === 429 && { retryAfter: 0 }) }] } });
    expect(row, JSON.stringify(row)).toMatchObject({ outcome: "error", errorCategory: category, scores: {} });
    expect(row.attempts.at(-1)?.message).toContain(name);
    expectNothingLeft(GREETING);
  });

  it.each(["malformed", "cut", "html"] as const)("ends if the model's answer is broken: %s", async (kind) => {
    const { row } = await tryAgent(name, { script: { faults: [{ kind }] }, hardTimeoutMs: 90_000 });
    // An agent that skips what it cannot read and reports success, or that retries until its time or budget is spent, is graded
    // like any other.
    if (row.outcome === "fail") expect(["logic_error", "time_killed", "cost_killed"]).toContain(row.errorCategory);
    else expect(row.outcome, JSON.stringify(row)).toBe("error");
    expectNothingLeft(GREETING);
  });

  it("is stopped by its time limit if the model does not respond, which counts as the endpoint's error", async () => {
    const { row } = await tryAgent(name, {
      script: { faults: [{ kind: "hang" }] },
      example: { graders: GRADERS },
      hardTimeoutMs: 12_000,
    });
    expect(row, JSON.stringify(row)).toMatchObject({ outcome: "error", errorCategory: "timeout", scores: {} });
    expect(row.attempts.at(-1)?.message).toContain("was not answered");
    expectNothingLeft(GREETING);
  });

  it("ends with an error if the program is killed", async () => {
    const mark = unique();
    const { row } = await tryAgent(name, {
      script: { tools: [{ command: `node kill.mjs; sleep ${mark}` }] },
      example: { environment: { files: [{ dest: "kill.mjs", content: KILLER }] } },
      hardTimeoutMs: 60_000,
    });
    expect(row, JSON.stringify(row)).toMatchObject({ outcome: "error", errorCategory: "system_error" });
    expectNothingLeft(mark);
  });

  it("leaves no detached child behind", async () => {
    const mark = unique();
    const command = `${HELLO}; setsid sh -c 'setsid sleep ${mark} & sleep ${mark}' >/dev/null 2>&1 </dev/null & sleep 0.3`;
    const { row } = await tryAgent(name, {
      script: { tools: [{ command }, { text: "Done." }] },
      example: { graders: GRADERS },
    });
    expect(row, JSON.stringify(row.attempts)).toMatchObject({ outcome: "pass" });
    expectNothingLeft(mark);
  });

  it("is killed if a process it started ignores signals", async () => {
    const mark = unique();
    const command = `${HELLO}; trap '' TERM INT HUP; while :; do sleep 1; : ${mark}; done`;
    const { row } = await tryAgent(name, {
      // An agent that leaves the command running calls again, and gets no answer.
      script: { tools: [{ command }], faults: [{ kind: "hang", every: 2 }] },
      example: { graders: GRADERS },
      hardTimeoutMs: 15_000,
    });
    expect(row, JSON.stringify(row.attempts)).toMatchObject({ outcome: "pass", errorCategory: "time_killed" });
    expectNothingLeft(mark);
  });

  it("may print 20 MB in one line", async () => {
    const { row, calls, output } = await tryAgent(name, {
      script: { ...longAnswer(name), usage: { input: 100 }, chunkTokens: 6_000_000 },
      example: { graders: GRADERS },
      maxCostUsd: 0,
      hardTimeoutMs: CHOKES.has(name) ? 40_000 : 150_000,
    });
    expectNothingLeft(GREETING);
    // Two agents cannot always handle that much: one may exit before all is written, one forgets what it has done. The trial
    // still has its row with its usage.
    if (CHOKES.has(name) && row.errorCategory !== "none") {
      expect(["system_error", "time_killed"]).toContain(row.errorCategory);
      expect(fillUsage(row).output).toBeGreaterThan(5_000_000);
      return;
    }
    expect(row, JSON.stringify(row).slice(0, 3000)).toMatchObject({ outcome: "pass", errorCategory: "none" });
    const sizes = output.trajectory?.events.map((event) => JSON.stringify(event).length) ?? [];
    expect(Math.max(...sizes)).toBeGreaterThan(20_000_000);
    // Codex's usage is in the same event as the text, which is too long for the gateway.
    if (name === "codex") expect(row.partial).toBe(true);
    else expect(fillUsage(row)).toEqual(sumMockUsage(calls));
  });
});

describe("eight concurrent agents", () => {
  it("pass the canary before their trials", async () => {
    const mock = await startMockModel({
      tools: [
        { match: "canary.txt", steps: [{ command: "printf ready > canary.txt" }, { text: "done" }] },
        { match: "hello.txt", steps: [{ command: "printf hello > hello.txt" }, { text: "done" }] },
      ],
    });
    const systems: System[] = [];
    for (const { name } of THOROUGH_AGENTS) systems.push(await openRealAgent(name, mock, { canary: true }));
    const graders = [{ type: "file-exists", config: { path: "hello.txt" } }];
    const dataset = [{ id: "hello", question: "Create hello.txt", graders }];
    const { rows, notes } = await evaluate({ systems, dataset, evaluators: [new GraderEvaluator()] });
    expect(rows.map(({ outcome }) => outcome)).toEqual(systems.map(() => "pass"));
    for (const { name } of systems) expect(notes.join("\n")).toContain(`${name} passed`);
  }, 300_000);

  it("mix neither workspaces nor meters", async () => {
    // Other programs of the machine do not have it in their arguments.
    const file = `answer-${process.pid}.txt`;
    const names = THOROUGH_AGENTS.map(({ name }) => name);
    const tasks = Array.from({ length: 8 }, (_, i) => ({
      id: `task-${i}`,
      question: `Write the word for task-${i} into ${file}`,
      graders: [
        { type: "file-contains", config: { path: file, value: `word-${i}-` } },
        { type: "run-command", config: { command: "test $(ls | wc -l) = 1" } },
      ],
    }));
    const mock = await startMockModel({
      latencyMs: { min: 50, max: 300 },
      tools: tasks.map(({ id }, i) => ({
        match: `${id} into`,
        steps: [{ command: `printf word-${i}- > ${file}`, outputTokens: 100 + 10 * i }, { text: `done ${id}` }],
      })),
    });
    const systems: System[] = [];
    for (const name of names) systems.push(await openRealAgent(name, mock));
    const { rows } = await evaluate({ systems, dataset: tasks, evaluators: [new GraderEvaluator()], maxWorkers: 8 });
    for (const row of rows) expect(row, JSON.stringify(row)).toMatchObject({ outcome: "pass" });
    for (const name of names) {
      const own = rows.filter(({ system }) => system === `${name}:${MODELS[name]}`);
      expect(own).toHaveLength(8);
      for (const row of own)
        expect(fillUsage(row).output, `${row.system} ${row.exampleId}`).toBeGreaterThanOrEqual(
          100 + 10 * Number(String(row.exampleId).slice(5)),
        );
    }
    const sum = (of: (usage: Required<Usage>) => number) => rows.reduce((total, row) => total + of(fillUsage(row)), 0);
    const total = [sum(({ input }) => input), sum(({ output }) => output)];
    const counted = sumMockUsage(mock.requests);
    expect(total).toEqual([counted.input, counted.output]);
    expect(mock.counts.maxOpen).toBeGreaterThan(1);
    expectNothingLeft(file);
  }, 600_000);
});
