import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { type EvalRow, evaluate, GraderEvaluator, openAgent } from "../index.js";
import { REPLAYED_NOTE, recordTraffic, replayTraffic, type Traffic } from "../models/index.js";
import { type MockOptions, startMock } from "../testing/mock/index.js";
import { TempProject } from "../testing/temp-project.js";

const TINY = fileURLToPath(new URL("../../examples/tiny-agent.mjs", import.meta.url));
const KEY = "key-of-this-test-0123456789";

/** The work prints its folder and the time, which differ each time. */
const WORK: MockOptions = {
  tools: [{ command: "pwd; date; date -Iseconds" }, { command: "echo made > a.txt" }, { text: "All done." }],
};

async function runAgent(
  url: string,
  traffic: Traffic,
  trials = 1,
  { word = "Do", ...more }: { word?: string; thenModel?: string; modelsFile?: string } = {},
): Promise<readonly EvalRow[]> {
  const base = { command: `${process.execPath} ${TINY} {prompt}`, name: "tiny", model: "tested", api: "chat" } as const;
  const place = more.modelsFile === undefined ? { url, apiKeyEnv: "REPLAY_TEST_KEY" } : {};
  const agent = await openAgent({ ...base, ...place, ...more, traffic });
  const graders = [
    { type: "file-contains", config: { path: "a.txt", value: "made" } },
    { type: "tool-calls", config: { required: [{ name: "bash", command: "pwd" }] } },
  ];
  const dataset = [1, 2, 3].map((id) => ({ id, question: `${id === 2 ? word : "Do"} task ${id}.`, graders }));
  const { rows } = await evaluate({
    systems: [agent],
    dataset,
    evaluators: [new GraderEvaluator()],
    trials,
    maxWorkers: 4,
  });
  await agent.close();
  await traffic.close();
  return rows;
}

async function record(dir: string, script: MockOptions, trials = 1) {
  const mock = await startMock({ requireKey: KEY, ...script });
  onTestFinished(() => mock.close());
  process.env.REPLAY_TEST_KEY = KEY;
  onTestFinished(() => void delete process.env.REPLAY_TEST_KEY);
  const rows = await runAgent(mock.url, recordTraffic({ dir }), trials);
  delete process.env.REPLAY_TEST_KEY;
  await mock.close();
  return { url: mock.url, rows };
}

/** What a row says apart from times. */
function toTimeless({
  system,
  exampleId,
  trial,
  outcome,
  scores,
  usage,
  costUsd,
  costSource,
  turns,
  metadata,
  notes,
}: EvalRow) {
  const { requests, toolCalls, finishes } = metadata ?? {};
  const kept = { requests, toolCalls, finishes, notes: notes.filter((note) => !note.startsWith(REPLAYED_NOTE)) };
  return { system, exampleId, trial, outcome, scores, usage, costUsd, costSource, turns, ...kept };
}

describe("the calls of an agent", () => {
  it("are recorded without folder and key, and replayed without a model or a key in another folder", async () => {
    const { dir } = new TempProject();
    const { url, rows } = await record(dir, WORK, 2);
    expect(rows.map(({ outcome }) => outcome)).toEqual(Array(6).fill("pass"));
    const files = readdirSync(dir).filter((name) => name.endsWith(".jsonl"));
    expect(files).toHaveLength(6);
    const text = readFileSync(join(dir, files[0] ?? ""), "utf8");
    expect(text).not.toMatch(/key-of-this-test|assay-workspace-/);
    expect(text).toContain("{assay:folder}");
    const replayed = await runAgent(url, replayTraffic({ dir }), 2);
    expect(replayed.map(toTimeless)).toEqual(rows.map(toTimeless));
    for (const { notes } of replayed)
      expect(notes).toContain(`${REPLAYED_NOTE}: 3 model calls from ${dir}, not paid again`);
  });

  it("of a damaged cassette make the trial an error that names the line, without another try", async () => {
    const { dir } = new TempProject();
    const { url } = await record(dir, WORK);
    const file = join(dir, readdirSync(dir).find((name) => name.startsWith("tiny.2.")) ?? "");
    const lines = readFileSync(file, "utf8").split("\n");
    writeFileSync(file, lines.with(2, `{${lines[2]}`).join("\n"));
    const rows = await runAgent(url, replayTraffic({ dir }));
    expect(rows.map(({ outcome }) => outcome)).toEqual(["pass", "error", "pass"]);
    expect(rows[1]?.attempts.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^\S*tiny\.2\.\S*:3 is damaged: it is not a line of a cassette\. Restore the file/),
    ]);
  });

  it("that were not recorded make the trial an error that shows the difference", async () => {
    const { dir } = new TempProject();
    const { url } = await record(dir, WORK);
    const rows = await runAgent(url, replayTraffic({ dir }), 1, { word: "Finish" });
    expect(rows.map(({ outcome }) => outcome)).toEqual(["pass", "error", "pass"]);
    expect(rows[1]?.attempts[0]?.message).toMatch(
      /has no recorded answer in .*tiny\.2\..* It differs from call 1 of 3: messages\[1\]\.content: recorded "Do task 2\.", sent "Finish task 2\."/,
    );
    const near = await runAgent(url, replayTraffic({ dir, onMiss: "nearest" }), 1, { word: "Finish" });
    expect(near.map(({ outcome }) => outcome)).toEqual(["pass", "pass", "pass"]);
    expect(near[1]?.notes.join()).toMatch(/3 of them with the answer to a similar request/);
  });

  it("are continued by another model after the given turn, at its price", async () => {
    const { dir } = new TempProject();
    const { url, rows } = await record(dir, WORK);
    const models = new TempProject({
      "models.yml": `models:
  tested: { base_url: "${url}/v1", api_key_env: REPLAY_TEST_KEY, pricing: { input_per_1k: 0.001, output_per_1k: 0.001 } }
  other: { base_url: "OTHER/v1", api_key_env: OTHER_TEST_KEY, pricing: { input_per_1k: 0.1, output_per_1k: 0.1 } }
`,
    });
    const tools = [{ command: "unused" }, { command: "echo made it > a.txt" }, { text: "Done by the other." }];
    const mock = await startMock({ tools, keepBodies: true, requireKey: "other-key-0123456789" });
    onTestFinished(() => mock.close());
    models.write("models.yml", models.read("models.yml").replace("OTHER", mock.url));
    process.env.OTHER_TEST_KEY = "other-key-0123456789";
    onTestFinished(() => void delete process.env.OTHER_TEST_KEY);
    const traffic = replayTraffic({ dir, turns: 1, onMiss: "live" });
    const more = { thenModel: "other", modelsFile: models.path("models.yml") };
    const forked = await runAgent(url, traffic, 1, more);
    expect(forked.map(({ outcome }) => outcome)).toEqual(["pass", "pass", "pass"]);
    expect(mock.requests.map(({ model }) => model)).toEqual(Array(6).fill("other"));
    for (const [i, row] of forked.entries()) {
      expect(row.notes).toContain(`${REPLAYED_NOTE}: 1 model call from ${dir}, not paid again, 2 sent to the model`);
      expect(row.costUsd).toBeGreaterThan(10 * (rows[i]?.costUsd ?? 0));
    }
  });
});
