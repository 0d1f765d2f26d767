import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { UserSimulator } from "../core/index.js";
import { GraderEvaluator } from "../graders/index.js";
import { gradeRun } from "../runs/grade-run.js";
import { readOutputs } from "../store/outputs.js";
import { createUserSimulator, ModelSystem } from "../systems/index.js";
import { lacksBoxes } from "../testing/boxes.js";
import type { MockOptions } from "../testing/mock/index.js";
import {
  computeTrialCost,
  createAgentFolders,
  expectNothingLeft,
  openScriptedAgent,
  openTrialMock,
  runScriptedTrial,
  type ScriptedTrialOptions,
  sumRequestUsage,
} from "../testing/scripted-trial.js";

/**
 * A program that keeps a session in its HOME: it sends all messages so far to its model, writes NAME.txt for "write NAME",
 * and prints the answer. It fails for "fail".
 */
const SESSION_AGENT = `
import { existsSync, readFileSync, writeFileSync } from "node:fs";
const [mode, session, prompt] = process.argv.slice(2);
const file = process.env.HOME + "/" + session + ".json";
if (mode === "resume" && !existsSync(file)) throw new Error("there is no session " + session);
const messages = mode === "resume" ? JSON.parse(readFileSync(file, "utf8")) : [];
messages.push({ role: "user", content: prompt });
const response = await fetch(process.env.OPENAI_BASE_URL + "/chat/completions", {
  method: "POST",
  headers: { "content-type": "application/json", authorization: "Bearer " + process.env.OPENAI_API_KEY },
  body: JSON.stringify({ model: "claude-sonnet-4-5", messages }),
});
if (!response.ok) throw new Error("status " + response.status);
const { choices } = await response.json();
messages.push(choices[0].message);
writeFileSync(file, JSON.stringify(messages));
const [, name] = /write (\\w+)/.exec(prompt) ?? [];
if (name !== undefined) writeFileSync(name + ".txt", prompt);
if (prompt.includes("fail")) throw new Error("it cannot do that");
console.log(choices[0].message.content);
`;

const WITHOUT_BOXES = await lacksBoxes();

const user = (content: string) => ({ role: "user", content });

const file = (path: string, after_turn?: number) => ({
  type: "file-exists",
  name: `${path} after ${after_turn ?? "all"}`,
  config: { path: `${path}.txt` },
  ...(after_turn !== undefined && { after_turn }),
});

async function runSession(
  options: Partial<ScriptedTrialOptions> & {
    readonly canContinue?: boolean;
    readonly isolation?: string;
    readonly agentUser?: UserSimulator;
  },
) {
  const { canContinue = true, isolation, agentUser, ...others } = options;
  const place = options.place ?? createAgentFolders();
  const program = join(place.root, "agent.mjs");
  writeFileSync(program, SESSION_AGENT);
  const trial = await runScriptedTrial({
    place,
    does: [],
    agent: {
      command: `node ${program} start {session} {prompt}`,
      ...(canContinue && { continueCommand: `node ${program} resume {session} {prompt}` }),
      model: "tested",
      api: "chat",
      ...(isolation !== undefined && { isolation }),
      ...(agentUser !== undefined && { user: agentUser }),
    },
    model: {
      keepBodies: true,
      reply: [
        { match: "write three", reply: "Three is there." },
        { match: "write two", reply: "Two is there." },
        { match: "write one", reply: "One is there." },
      ],
    },
    run: { runsDir: join(place.root, "runs") },
    ...others,
  });
  const [stored] = readOutputs(trial.result.runDir ?? "");
  return { ...trial, output: stored?.output };
}

const TURNS = { turns: [user("write one"), user("write two")], question: "write three" };

describe("several messages to a command", () => {
  it("are sent one after the other into one session, and graded after each", async () => {
    const graders = [
      file("one", 1),
      { type: "not", name: "no two yet", config: { grader: file("two") }, after_turn: 1 },
      file("two", 2),
      { type: "output-contains", config: { substring: "One is" }, after_turn: 1 },
      { type: "turn-count", config: { min: 2, max: 2 }, after_turn: 2 },
      { type: "run-command", config: { command: "test ! -e three.txt" }, after_turn: 2 },
      file("three"),
    ];
    const { row, output, mock, place } = await runSession({ example: { ...TURNS, graders } });
    expect(row, JSON.stringify(row.scores)).toMatchObject({ outcome: "pass", turns: 3 });
    expect(row.metadata).toMatchObject({ userTurns: 3, requests: 3 });
    expect(output?.replies).toEqual(["One is there.", "Two is there.", "Three is there."]);
    const messages = mock.requests.map(({ body }) => (body as { messages: { content: string }[] }).messages);
    expect(messages.map((each) => each.map(({ content }) => content))).toEqual([
      ["write one"],
      ["write one", "One is there.", "write two"],
      ["write one", "One is there.", "write two", "Two is there.", "write three"],
    ]);
    const used = sumRequestUsage(mock.requests);
    expect(row).toMatchObject({ usage: used, costUsd: computeTrialCost(used) });
    const events = output?.trajectory?.events ?? [];
    expect(events.flatMap(({ type, text, turn }) => (type === "user_message" ? [[text, turn]] : []))).toEqual([
      ["write one", 1],
      ["write two", 2],
      ["write three", 3],
    ]);
    expect(output?.turnStates?.[1]).toEqual({
      changes: [{ path: "one.txt", status: "added", content: "write one" }],
    });
    expectNothingLeft(place);
  });

  it("are graded again from the stored run, as far as their folders were stored", async () => {
    const example = { id: "task", ...TURNS };
    const first = await runSession({ example: { ...example, graders: [file("one", 1)] } });
    const grade = (graders: object[]) =>
      gradeRun(first.result.runDir ?? "", {
        datasets: [[{ ...example, graders }]],
        evaluators: [new GraderEvaluator()],
        allowChanged: true,
      });
    const again = await grade([file("one", 1), { type: "not", config: { grader: file("two") }, after_turn: 1 }]);
    expect(again.rows[0]).toMatchObject({ outcome: "pass" });
    const answers = { type: "output-contains", config: { substring: "Two is" }, after_turn: 2 };
    expect((await grade([answers])).rows[0]).toMatchObject({ outcome: "pass" });
    const missing = (await grade([file("two", 2)])).rows[0];
    expect(missing?.outcome).toBe("unscored");
    expect(missing?.notes.join()).toContain("the workspace after turn 2 was not stored");
  });

  it.skipIf(WITHOUT_BOXES)("are sent into one session in a box", async () => {
    const graders = [file("one", 1), file("two")];
    const example = { turns: [user("write one")], question: "write two", graders };
    const { row, output } = await runSession({ example, isolation: "box" });
    expect(row, JSON.stringify(row.attempts)).toMatchObject({ outcome: "pass" });
    expect(output?.replies).toEqual(["One is there.", "Two is there."]);
  });

  it("share the budget of the trial", async () => {
    const budgets = { max_cost_usd: 0.03 };
    const model = { usage: { input: 1800 }, reply: "One is there." };
    const graders = [file("one", 1), file("three", 3)];
    const { row, output } = await runSession({ budgets, model, example: { ...TURNS, graders } });
    expect(row.errorCategory).toBe("cost_killed");
    expect(row.costUsd).toBeGreaterThan(0.03);
    expect(row.scores).toMatchObject({ "one after 1": 1, "three after 3": 0 });
    expect(output?.metadata?.userTurns).toBe(2);
  });

  it("end with the first that fails, which the error names", async () => {
    const { row } = await runSession({ example: { turns: [user("write one"), user("fail"), user("write two")] } });
    expect(row).toMatchObject({ outcome: "error", errorCategory: "system_error" });
    expect(row.attempts[0]?.message).toMatch(/in turn 2 ended \(exit code 1\).*it cannot do that/s);
    expect(row.usage?.output).toBeGreaterThan(0);
  });

  it("are refused before the run where nothing says how to continue", async () => {
    const place = createAgentFolders();
    await expect(runSession({ place, canContinue: false, example: TURNS })).rejects.toThrow(
      /has 3 messages of the user, .* which agent cannot continue\. Say how .* These can: claude, codex, .*qwen\./s,
    );
    const mock = await openTrialMock();
    const aider = await openScriptedAgent(place, mock, { agent: { agent: "aider:openai/gpt-6-luna", isPlan: true } });
    expect(() => aider.checkExample({ id: 1, ...TURNS })).toThrow("Use another agent. These can: claude");
    expect(() =>
      aider.checkExample({ id: 1, turns: [user("a"), { role: "assistant", content: "b" }], question: "c" }),
    ).not.toThrow();
  });
});

describe("several messages to claude", () => {
  it("name the session, and continue it", async () => {
    const place = createAgentFolders();
    const told = (name: string) => join(place.root, `${name}.json`);
    const does = {
      "write one": [{ confess: told("one") }, { ask: true }, { end: "done" }],
      "write two": [{ confess: told("two") }, { ask: true }, { end: "done" }],
    } as const;
    const { row } = await runScriptedTrial({
      place,
      does,
      example: { turns: [user("write one")], question: "write two" },
    });
    expect(row.outcome).toBe("pass");
    const read = (name: string) => JSON.parse(readFileSync(told(name), "utf8")) as { argv: string[]; cwd: string };
    const [one, two] = [read("one"), read("two")];
    const id = one.argv[one.argv.indexOf("--session-id") + 1];
    expect(id).toMatch(/^[\da-f-]{36}$/);
    expect(two.argv[two.argv.indexOf("--resume") + 1]).toBe(id);
    expect(two.cwd).toBe(one.cwd);
    const single = await runScriptedTrial({ does: [{ confess: told("one") }, { ask: true }, { end: "done" }], place });
    expect(single.row.metadata).not.toHaveProperty("userTurns");
    expect(read("one").argv).toContain("--no-session-persistence");
  });
});

describe("a simulated user and an agent", () => {
  async function runWithUser(user: Record<string, unknown>, script: MockOptions = {}, canContinue = true) {
    const player = await openTrialMock({
      reply: [{ match: "One is", reply: "write two" }],
      ...script,
      keepBodies: true,
    });
    const model = new ModelSystem({ model: "player", baseUrl: player.url });
    const simulator = createUserSimulator(model);
    const ran = await runSession({
      canContinue,
      agentUser: simulator,
      example: { question: "write one", user, graders: [file("one"), file("two", 2)] },
    });
    return { ...ran, player };
  }

  it("talk in one session until the user ends it, and graders see its turns", async () => {
    const rules = [
      { match: "Two is there", reply: "All right. [END]" },
      { match: "One is there", reply: "write two" },
    ];
    const { row, output, player } = await runWithUser({ goal: "two files" }, { reply: rules });
    expect(row, JSON.stringify(row)).toMatchObject({ outcome: "pass", metadata: { userTurns: 2 } });
    expect(output?.replies).toEqual(["One is there.", "Two is there."]);
    expect(output?.userMessages).toEqual(["write two"]);
    const events = output?.trajectory?.events ?? [];
    expect(events.flatMap(({ type, text, turn }) => (type === "user_message" ? [[text, turn]] : []))).toEqual([
      ["write one", 1],
      ["write two", 2],
    ]);
    expect(player.requests).toHaveLength(2);
    expect(row.metadata?.userUsage).toEqual(sumRequestUsage(player.requests));
    expect(row.notes.join()).toContain("the cost of the simulated user is unknown");
  });

  it("stop at max_turns", async () => {
    const { output, player } = await runWithUser({ goal: "two files", max_turns: 2 });
    expect(output?.replies).toEqual(["One is there.", "Two is there."]);
    expect(player.requests).toHaveLength(1);
  });

  it("are an error that names the user, if its model fails", async () => {
    const { row, mock, place } = await runWithUser({ goal: "two files" }, { faults: [{ kind: 401, rate: 1 }] });
    expect(row).toMatchObject({ outcome: "error", errorCategory: "api_error" });
    expect(row.attempts.at(-1)?.message).toMatch(/The simulated user .* failed: .*answered 401/);
    expect(row.usage).toEqual(sumRequestUsage(mock.requests));
    expectNothingLeft(place);
  });

  it("are refused for an agent that cannot continue", async () => {
    await expect(runWithUser({ goal: "two files" }, {}, false)).rejects.toThrow(
      /has a simulated user, whose messages are sent one after the other into one session, which .* cannot continue/,
    );
  });
});
