import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { isTrialError } from "../../core/index.js";
import { createCommandMemory } from "./command-memory.js";
import type { MemorySystem } from "./memory-system.js";

let folder = "";
const opened: MemorySystem[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "assay-memory-"));
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map(async (memory) => memory.close?.()));
  rmSync(folder, { recursive: true, force: true });
});

const REMEMBER = `
let turns = [];
const say = (answer) => process.stdout.write(JSON.stringify(answer) + "\\n");
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  require("node:fs").appendFileSync("log.txt", line + "\\n");
  const { id, op, turns: more, question, date } = JSON.parse(line);
  if (op === "reset") turns = [];
  if (op === "ingest") turns.push(...more);
  if (question === "die") process.exit(4);
  if (question === "fail") return say({ id, error: "index is broken", cost_usd: 0.1 });
  if (question === "odd") return say({ id, text: "x" });
  say(op === "query" ? { id, answer: turns.at(-1)?.content ?? "nothing", context: "found", context_tokens: 3, cost_usd: 0.5, metadata: { date } } : { id });
});
`;

async function open(): Promise<MemorySystem> {
  const file = join(folder, "remember.cjs");
  writeFileSync(file, REMEMBER);
  const memory = await createCommandMemory({ command: `${process.execPath} ${file}`, cwd: folder })();
  opened.push(memory);
  return memory;
}

const TURNS = [{ role: "user", content: "My cat is called Ada." }];

it("tells a program what to remember, and asks it", async () => {
  const memory = await open();
  expect(memory.name).toBe("remember");
  await memory.reset();
  await memory.ingest(TURNS);
  expect(await memory.query("Who?")).toEqual({
    answer: "My cat is called Ada.",
    context: "found",
    contextTokens: 3,
    costUsd: 0.5,
    metadata: {},
  });
});

it("tells the next process again if the first has ended", async () => {
  const memory = await open();
  await memory.reset();
  await memory.ingest(TURNS);
  await expect(memory.query("die")).rejects.toThrow("exited with code 4 before it answered");
  expect((await memory.query("Who?")).answer).toBe("My cat is called Ada.");
  const ops = readFileSync(join(folder, "log.txt"), "utf8").trim().split("\n");
  expect(ops.map((line) => JSON.parse(line).op)).toEqual(["reset", "ingest", "query", "reset", "ingest", "query"]);
});

it("reports what a program says is wrong, with what it cost", async () => {
  const memory = await open();
  const failure = await memory.query("fail").catch((error: unknown) => error);
  expect(isTrialError(failure) && failure.spent).toMatchObject({
    costUsd: 0.1,
    metadata: { problem: "PROGRAM_REPORTED_ERROR" },
  });
  await expect(memory.query("odd")).rejects.toThrow('Answer with {"id": …, "answer": "…"}');
});
