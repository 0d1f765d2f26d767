import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { GraderEvaluator } from "../graders/index.js";
import { gradeRun } from "../runs/grade-run.js";
import { readOutputs } from "../store/outputs.js";
import {
  COMPLETED_EVENTS,
  computeTrialCost,
  createAgentFolders,
  expectNothingLeft,
  openScriptedAgent,
  openTrialMock,
  runScriptedTrial,
  sumRequestUsage,
} from "../testing/scripted-trial.js";
import type { AgentOptions } from "./open-agent.js";
import { type ScriptStep, writeScriptedAgent } from "./scripted-agent.js";

const MADE = [{ type: "file-contains", config: { path: "a.txt", value: "made" } }];
const MAKES: readonly ScriptStep[] = [{ ask: true }, { ask: true }, { end: "done" }];
const TOLD = { tools: [{ command: "echo made > a.txt; cat a.txt" }] };

interface Confession {
  argv: string[];
  env: Record<string, string>;
  cwd: string;
  stdin: string;
}

/** What the agent recorded about its inputs. */
function confession(text: string): Confession {
  return JSON.parse(text) as Confession;
}

describe("the row of a trial", () => {
  it("has all measurements, and the tokens that the model's endpoint counted", async () => {
    const place = createAgentFolders();
    const { row, result, mock } = await runScriptedTrial({
      place,
      does: MAKES,
      model: {
        tools: [{ command: "echo made > a.txt; sleep 3" }],
        tokensPerSec: 400,
        reply: "word ".repeat(60),
      },
      example: { graders: MADE },
      run: { runsDir: join(place.root, "runs") },
    });
    const used = sumRequestUsage(mock.requests);
    expect(used.output).toBeGreaterThan(70);
    expect(row).toMatchObject({ outcome: "pass", errorCategory: "none", usage: used, costSource: "priced", turns: 2 });
    expect(row.costUsd).toBe(computeTrialCost(used));
    expect(row.notes).toEqual([]);
    expect(row.metadata).toMatchObject({
      agent: "claude",
      agentVersion: "2.1.325",
      model: "claude-sonnet-4-5",
      exitCode: 0,
      requests: 2,
      toolCalls: 1,
      meter: "gateway",
      ownUsage: used,
    });
    const { ttftMs, firstAttemptMs, successAtMs, durationMs, tokensPerSec } = row;
    expect(ttftMs).toBeGreaterThan(0);
    expect(firstAttemptMs).toBeGreaterThan(ttftMs ?? 0);
    expect(successAtMs).toBeGreaterThan(0);
    expect(successAtMs).toBeLessThan((durationMs ?? 0) - 400);
    // Excludes the tool's three seconds.
    expect(tokensPerSec).toBeGreaterThan(used.output / 2.5);
    expect(tokensPerSec).toBeLessThan(1000);
    const stored = [...readOutputs(result.runDir ?? "")];
    expect(stored).toHaveLength(1);
    const { events = [], startedAt = 0 } = stored[0]?.output.trajectory ?? {};
    const types = events.map(({ type }) => type);
    expect(types.filter((type) => type === "token_usage")).toHaveLength(2);
    expect(types.indexOf("tool_result")).toBeGreaterThan(types.indexOf("tool_call"));
    expect(events.every(({ timestamp }, i) => timestamp >= (events[i - 1]?.timestamp ?? startedAt))).toBe(true);
    expect(stored[0]?.output.workspace).toEqual({
      changes: [{ path: "a.txt", status: "added", content: "made\n" }],
    });
    expectNothingLeft(place);
  });

  it("notes differences from the program's own figures of at least one percent, and unknown events", async () => {
    const does = (factor: number): readonly ScriptStep[] => [{ ask: true }, { end: "done", factor }];
    const { result } = await runScriptedTrial({
      does: {
        "5 %": [{ print: { type: "quite_new" } }, { print: { type: "quite_new" } }, ...does(1.05)],
        "half a percent": does(1.005),
        nothing: [
          { ask: true, silent: true },
          { end: "done", factor: 0 },
        ],
      },
      dataset: ["5 %", "half a percent", "nothing"].map((question) => ({
        id: question,
        question,
        graders: COMPLETED_EVENTS,
      })),
    });
    const notes = result.rows.map((row) => row.notes);
    expect(notes[0]).toEqual([
      "the program reports 1052 tokens, the gateway counted 1002",
      "unknown events: quite_new (2)",
    ]);
    expect(notes.slice(1)).toEqual([[], []]);
    expect(result.rows[2]).toMatchObject({ usage: { input: 1000, output: 2 }, metadata: { meter: "gateway" } });
    expect(result.rows[2]?.metadata).not.toHaveProperty("ownUsage");
  });
});

describe("the workspace", () => {
  it("has the example's files, command results and variables, and nothing of the user's", async () => {
    vi.stubEnv("ANTHROPIC_API_KEY", "the-real-key");
    vi.stubEnv("MY_SECRET", "secret");
    vi.stubEnv("MY_FLAG", "flag");
    const place = createAgentFolders();
    const keepWorkspaces = join(place.root, "kept");
    const { row, mock } = await runScriptedTrial({
      place,
      does: [{ ask: true }, { confess: "confession.json" }, { end: "done" }],
      model: { requireKey: "the-real-key" },
      example: {
        environment: {
          files: [{ dest: "in/given.txt", content: "given" }],
          commands: ["cat in/given.txt in/given.txt > twice.txt", "echo $COLOUR > colour.txt"],
          env: { COLOUR: "blue" },
        },
        graders: [{ type: "file-contains", config: { path: "twice.txt", value: "givengiven" } }],
      },
      agent: { passEnv: ["MY_FLAG", "NOT_THERE"], keepWorkspaces },
    });
    expect(row).toMatchObject({ outcome: "pass", errorCategory: "none" });
    expect(mock.requests.map(({ status }) => status)).toEqual([200]);
    expect(readdirSync(keepWorkspaces)).toEqual(["scripted-task-0"]);
    const kept = join(keepWorkspaces, "scripted-task-0");
    expect(readFileSync(join(kept, "colour.txt"), "utf8")).toBe("blue\n");
    const { env, cwd, stdin } = confession(readFileSync(join(kept, "confession.json"), "utf8"));
    expect(env).toMatchObject({ COLOUR: "blue", MY_FLAG: "flag" });
    expect(Object.keys(env)).not.toContain("MY_SECRET");
    expect(Object.keys(env)).not.toContain("NOT_THERE");
    expect(JSON.stringify(env)).not.toContain("the-real-key");
    expect(stdin).toBe("");
    expect(cwd.startsWith(place.tmp)).toBe(true);
    expect(env.HOME?.startsWith(place.tmp)).toBe(true);
    expect(env.HOME).not.toContain(cwd);
    expectNothingLeft(place);
  });

  it("that cannot be set up is an error that names the step, and no agent is started", async () => {
    const { row, agent, place } = await runScriptedTrial({
      does: MAKES,
      example: { environment: { commands: ["true", "echo no luck >&2; exit 4"] } },
    });
    expect(row).toMatchObject({ outcome: "error", errorCategory: "system_error", scores: {} });
    const message = row.attempts[0]?.message;
    expect(message).toContain("could not be set up");
    expect(message).toContain("`echo no luck >&2; exit 4` failed with exit code 4");
    expect(message).toContain("no luck");
    expect(agent.starts()).toBe(0);
    expectNothingLeft(place);
  });

  it("may use the user's HOME, which is not changed", async () => {
    const place = createAgentFolders();
    const home = join(place.root, "own-home");
    mkdirSync(home);
    writeFileSync(join(home, "login.json"), "{}");
    vi.stubEnv("ANTHROPIC_API_KEY", "the-real-key");
    const { row } = await runScriptedTrial({
      place,
      does: [{ ask: true }, { confess: "confession.json" }, { end: "done" }],
      agent: { home, keepWorkspaces: join(place.root, "kept") },
    });
    expect(row.outcome).toBe("pass");
    const kept = join(place.root, "kept", "scripted-task-0", "confession.json");
    const { env } = confession(readFileSync(kept, "utf8"));
    expect(env.HOME).toBe(home);
    expect(env).not.toHaveProperty("ANTHROPIC_API_KEY");
    expect(readdirSync(home)).toEqual(["login.json"]);
    expectNothingLeft(place);
  });
});

describe("eight concurrent trials", () => {
  it("mix neither their folders nor their meters", async () => {
    const tasks = Array.from({ length: 8 }, (_, i) => ({
      id: i,
      question: `task ${i}`,
      graders: [
        { type: "file-contains", config: { path: "answer.txt", value: `answer ${i}` } },
        { type: "run-command", config: { command: "test $(ls | wc -l) = 1" } },
      ],
    }));
    const { result, mock, place } = await runScriptedTrial({
      does: MAKES,
      dataset: tasks,
      model: {
        latencyMs: 150,
        tools: tasks.map(({ question }, i) => ({
          match: question,
          steps: [{ command: `echo answer ${i} > answer.txt`, outputTokens: 20 * (i + 1) }, { text: `done ${i}` }],
        })),
      },
      run: { maxWorkers: 8 },
    });
    for (const { exampleId, outcome, usage, costUsd } of result.rows) {
      const own = sumRequestUsage(mock.requests.filter(({ task }) => task === `task ${exampleId}`));
      expect({ outcome, usage, costUsd }).toEqual({ outcome: "pass", usage: own, costUsd: computeTrialCost(own) });
    }
    const outputs = result.rows.map(({ usage }) => usage?.output ?? 0);
    expect(new Set(outputs).size).toBe(8);
    expect(outputs.reduce((sum, output) => sum + output, 0)).toBe(sumRequestUsage(mock.requests).output);
    expect(mock.counts.maxOpen).toBeGreaterThan(1);
    expectNothingLeft(place);
  });
});

describe("earlier work", () => {
  it("is graded again from its changes, without running the program", async () => {
    const place = createAgentFolders();
    const example = { id: 1, question: "Do it", environment: { files: [{ dest: "b.txt", content: "given" }] } };
    const graders = [...MADE, { type: "run-command", config: { command: "grep given b.txt" } }];
    const first = await runScriptedTrial({
      place,
      does: MAKES,
      model: TOLD,
      dataset: [{ ...example, graders }],
      run: { runsDir: join(place.root, "runs") },
    });
    expect(first.row.outcome).toBe("pass");
    first.agent.remove();
    const grade = (wanted: object[]) =>
      gradeRun(first.result.runDir ?? "", {
        datasets: [[{ ...example, graders: wanted }]],
        evaluators: [new GraderEvaluator()],
        allowChanged: true,
      });
    const again = await grade(graders);
    expect(again.rows[0]).toMatchObject({ outcome: "pass", usage: first.row.usage, costUsd: first.row.costUsd });
    const otherwise = await grade([{ type: "run-command", config: { command: "test ! -e a.txt" } }]);
    expect(otherwise.rows[0]?.outcome).toBe("fail");
    expect(first.agent.starts()).toBe(1);
    expectNothingLeft(place);
  });

  it("is read from the cache and graded the same", async () => {
    const place = createAgentFolders();
    const cacheDir = join(place.root, "cache");
    const options = { place, does: MAKES, model: TOLD, example: { graders: MADE }, run: { cacheDir } };
    const first = await runScriptedTrial({ ...options, agent: { url: "http://127.0.0.1:9" } });
    expect(first.row.errorCategory, "an agent that failed is not kept").toBe("api_error");
    const second = await runScriptedTrial(options);
    expect(second.row).toMatchObject({ outcome: "pass", cached: false });
    const third = await runScriptedTrial({ ...options, agent: { url: second.mock.url } });
    expect(third.row).toMatchObject({ outcome: "pass", cached: true, usage: second.row.usage });
    expect(third.agent.starts()).toBe(0);
    expectNothingLeft(place);
  });
});

describe("without a runner", () => {
  it("leaves the folder for grading until it is closed", async () => {
    const place = createAgentFolders();
    const mock = await openTrialMock(TOLD);
    writeScriptedAgent({ bin: place.bin, script: { "*": MAKES } });
    const system = await openScriptedAgent(place, mock);
    const { signal } = new AbortController();
    const trial = { signal, budget: null, trial: 0, seed: 0, log: () => {} };
    const output = await system.process({ id: 1, question: "Do it" }, trial);
    expect(output).toMatchObject({ response: "Done.", turns: 2 });
    expect(output).not.toHaveProperty("successAtMs");
    expect(readFileSync(join(output.workspace?.path ?? "", "a.txt"), "utf8")).toBe("made\n");
    await system.close();
    await system.close();
    expectNothingLeft(place);
  });

  it("has a fingerprint of what affects its work, without its key", async () => {
    const place = createAgentFolders();
    const mock = await openTrialMock();
    writeScriptedAgent({ bin: place.bin, script: { "*": MAKES } });
    vi.stubEnv("ANTHROPIC_API_KEY", "the-real-key");
    const print = async (agent: AgentOptions = {}) =>
      JSON.stringify((await openScriptedAgent(place, mock, { agent })).fingerprint());
    const usual = await print();
    expect(usual).not.toContain("the-real-key");
    vi.stubEnv("ANTHROPIC_API_KEY", "another-key");
    expect(await print()).toBe(usual);
    for (const other of [
      { agent: "claude:other" },
      { passEnv: ["A"] },
      { home: place.root },
      { url: "http://localhost:9" },
    ])
      expect(await print(other)).not.toBe(usual);
    writeScriptedAgent({ bin: place.bin, script: { "*": MAKES }, version: "9.9.9" });
    expect(await print()).not.toBe(usual);
  });
});
