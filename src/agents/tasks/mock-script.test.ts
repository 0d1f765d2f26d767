import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import { GraderEvaluator } from "../../graders/index.js";
import { type Mock, startMock } from "../../testing/mock/index.js";
import { TASKS } from "./dataset.js";
import { buildAgentTaskScript, OVERSPENDING_TASK, UNSOLVED_TASK } from "./mock-script.js";
import type { AgentTask } from "./task.js";
import { createPassCheck, createTaskFolder } from "./tasks-testing.js";

const AGENT = fileURLToPath(new URL("../../../examples/tiny-agent.mjs", import.meta.url));
const passes = createPassCheck(new GraderEvaluator());
const run = promisify(execFile);

interface Played {
  passed: boolean;
  said: string;
}

let mock: Mock;
let played: ReadonlyMap<string, Played>;

beforeAll(async () => {
  mock = await startMock({ ...buildAgentTaskScript(), keepBodies: true });
  // All at once: one mock must keep the tasks apart.
  played = new Map(await Promise.all(TASKS.map(async (task) => [task.id, await play(task)] as const)));
});

afterAll(() => mock.close());

/** Runs a real agent on the task with the scripted model. */
async function play(task: AgentTask): Promise<Played> {
  const dir = await createTaskFolder(task);
  try {
    const env = { PATH: process.env.PATH, OPENAI_BASE_URL: `${mock.url}/v1`, OPENAI_MODEL: "scripted" };
    const { stdout } = await run(process.execPath, [AGENT, task.question], { cwd: dir, env });
    return { passed: await passes(task, dir), said: stdout.trim() };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

it("solves all tasks but one", () => {
  const unsolved = [...played].filter(([, { passed }]) => !passed).map(([id]) => id);
  expect(unsolved).toEqual([UNSOLVED_TASK]);
});

it("ends each task with its own text", () => {
  for (const { id, walkthrough } of TASKS) {
    const said = played.get(id)?.said;
    if (id === UNSOLVED_TASK) expect(said).toMatch(/could not find a way/);
    else expect(walkthrough.at(-1)).toEqual({ text: said });
  }
});

it("spends so much on one task that a budget can distinguish it", () => {
  const spent = new Map(TASKS.map(({ id, question }) => [id, outputTokens(question)]));
  const others = [...spent].filter(([id]) => id !== OVERSPENDING_TASK).map(([, tokens]) => tokens);
  expect(Math.min(...others)).toBeGreaterThan(0);
  expect(spent.get(OVERSPENDING_TASK)).toBeGreaterThan(10 * Math.max(...others));
});

function outputTokens(question: string): number {
  const about = mock.requests.filter(({ body }) =>
    JSON.stringify(body).includes(JSON.stringify(question).slice(1, -1)),
  );
  return about.reduce((sum, { usage }) => sum + (usage?.output ?? 0), 0);
}

it("has a unique match for each task", () => {
  const matches = buildAgentTaskScript().tools.map(({ match }) => match);
  for (const match of matches) {
    expect(TASKS.filter(({ question }) => question.includes(match))).toHaveLength(1);
  }
  expect(matches).toHaveLength(TASKS.length);
});

it("answers other requests with the reply", async () => {
  const response = await fetch(`${mock.url}/v1/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "scripted", messages: [{ role: "user", content: "A title for this session?" }] }),
  });
  expect(await response.json()).toMatchObject({ choices: [{ message: { content: "A coding task" } }] });
});
