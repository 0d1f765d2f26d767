import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runPooledAssay } from "../src/testing/cli-pool.js";
import { parseReport, type RunningCommand, startAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const TINY = fileURLToPath(new URL("../examples/tiny-agent.mjs", import.meta.url));

const FILES = {
  "data.jsonl": [
    { id: "a", question: "Capital of France?", answer: "Paris" },
    { id: "b", question: "Capital of Norway?", answer: "Oslo" },
  ],
  "mock.yaml": `reply:
  - { match: "mark of this message", reply: '{"reason": "it is", "verdict": "pass", "score": 5}' }
  - { match: France, reply: Paris }
  - { match: Norway, reply: Rome }
`,
  "eval.yaml": `name: made
stimuli:
  - name: writes
    prompt: Write made.txt.
    graders:
      - { type: file-exists, config: { path: made.txt } }
      - { type: prompt, config: { prompt: Is it good?, model: openai/gpt-6-luna } }
`,
  "agent.yaml": `tools:
  - { match: Write, steps: [{ command: "pwd; echo done > made.txt" }, { text: "It is written." }] }
reply:
  - { match: "mark of this message", reply: '{"reason": "it is", "verdict": "pass", "score": 5}' }
`,
};
const MODEL = ["run", "--model", "openai/gpt-6-luna", "--judge-model", "openai/gpt-6-luna", "--dataset", "data.jsonl"];

/** The address that a mock prints when it listens. */
async function readMockUrl({ child }: RunningCommand): Promise<string> {
  let text = "";
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk);
    const [, url] = /OPENAI_BASE_URL=(\S+)\n/.exec(text) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`The mock printed no address: ${text}`);
}

/** Rows without times, and without the note that they were replayed. */
function toTimeless(finished: Parameters<typeof parseReport>[0]) {
  return parseReport(finished).rows.map(({ exampleId, outcome, scores, usage, costUsd, costSource, notes }) => {
    const kept = (notes as string[]).filter((note) => !note.startsWith("replayed"));
    return { exampleId, outcome, scores, usage, costUsd, costSource, notes: kept };
  });
}

describe("assay run --record", () => {
  it("writes cassettes, from which --replay-traffic answers without a key and within any budget", async () => {
    const space = new TempProject(FILES);
    const flags = [...MODEL, "--output", "json"];
    const recorded = await runPooledAssay(space.dir, ...flags, "--mock", "mock.yaml", "--record", "calls");
    expect(recorded.stderr).toContain("Model calls are recorded in calls. Keys are removed");
    const files = readdirSync(space.path("calls")).filter((name) => name.endsWith(".jsonl"));
    expect(files.map((name) => name.split(".")[1])).toEqual(["a", "b"]);
    expect(space.read("calls", files[0] ?? "").match(/"by":"judge"/g)).toHaveLength(2);
    const replayed = await runPooledAssay(space.dir, ...flags, "--replay-traffic", "calls", "--max-cost", "0.0000001");
    expect(replayed.stderr).toContain("nothing is sent or paid");
    expect(replayed.stderr).toContain("The budget of the run is not applied");
    expect(toTimeless(replayed)).toEqual(toTimeless(recorded));
    expect(toTimeless(replayed).map(({ outcome }) => outcome)).toEqual(["pass", "pass"]);
    const replays = space.runs().map((dir) => space.read(dir, "rows.jsonl").includes("not paid again"));
    expect(replays.toSorted()).toEqual([false, true]);
    for (const [i, dir] of space.runs().entries()) {
      const { systems } = JSON.parse((await runPooledAssay(space.dir, "cost", dir, "--output", "json")).stdout);
      expect(systems[0].costUsd).toBeGreaterThan(0);
      expect(systems[0].replayedUsd).toBe(replays[i] === true ? systems[0].costUsd : 0);
    }
  });

  it("is replayed by a config file", async () => {
    const config = "models: [openai/gpt-6-luna]\ndatasets: [data.jsonl]\nreplayTraffic: calls\nonMiss: nearest\n";
    const space = new TempProject({ ...FILES, "assay.config.yaml": config });
    const flags = ["run", "--model", "openai/gpt-6-luna", "--dataset", "data.jsonl", "--mock", "mock.yaml"];
    const place = new TempProject(FILES);
    await runPooledAssay(place.dir, ...flags, "--record", space.path("calls"));
    const replayed = await runPooledAssay(space.dir, "run", "--output", "json");
    expect(toTimeless(replayed).map(({ outcome }) => outcome)).toEqual(["pass", "fail"]);
  });

  it("makes a changed request an error that shows the difference, or answers like the nearest", async () => {
    const space = new TempProject(FILES);
    await runPooledAssay(space.dir, ...MODEL, "--mock", "mock.yaml", "--record", "calls");
    const changed = [...MODEL, "--system-prompt", "Be brief.", "--replay-traffic", "calls", "--output", "json"];
    const failed = await runPooledAssay(space.dir, ...changed);
    expect(failed.code).toBe(3);
    expect(JSON.stringify(parseReport(failed).rows[0]?.attempts)).toMatch(
      /It differs from call 1 of 1: .*Be brief.*only in the request/,
    );
    const near = await runPooledAssay(space.dir, ...changed, "--on-miss", "nearest");
    expect(parseReport(near).rows.map(({ outcome }) => outcome)).toEqual(["pass", "pass"]);
    const live = await runPooledAssay(space.dir, ...changed, "--on-miss", "live", "--mock", "mock.yaml");
    expect(parseReport(live).rows.map(({ outcome }) => outcome)).toEqual(["pass", "pass"]);
  });

  it.each([
    [
      "both flags",
      ["--record", "calls", "--replay-traffic", "calls"],
      "--record cannot be combined with --replay-traffic",
    ],
    ["--on-miss alone", ["--on-miss", "live"], "--on-miss needs --replay-traffic"],
    ["an unknown action", ["--on-miss", "skip"], "It must be fail, live or nearest"],
    [
      "a file as folder",
      ["--record", "data.jsonl"],
      "data.jsonl: it is a file. Choose a writable folder with --record.",
    ],
    ["no such folder", ["--replay-traffic", "none"], "none does not exist. Name a folder that --record has written"],
    ["a folder without cassettes", ["--replay-traffic", "empty"], "has no cassettes"],
    ["another file", ["--replay-traffic", "."], "data.jsonl is not a cassette"],
    ["--then alone", ["--then", "openai/gpt-6-luna"], "--then needs --replay-until"],
    ["--replay-until alone", ["--replay-until", "turn:2"], "--replay-until needs --replay-traffic"],
    ["no agent", ["--replay-traffic", "empty", "--replay-until", "turn:2"], "but no agent is given"],
    ["another turn", ["--replay-traffic", "empty", "--replay-until", "2"], "--replay-until 2 is not a turn"],
    ["a batch", ["--record", "calls", "--batch"], "--record cannot be combined with --batch"],
    ["a queue", ["--record", "calls", "--queue", "redis://127.0.0.1:1"], "--record works only on this machine"],
  ])("is refused with %s", async (_, flags, message) => {
    const space = new TempProject({ ...FILES, "empty/notes.txt": "" });
    const { code, stderr } = await runPooledAssay(space.dir, ...MODEL, "--mock", "mock.yaml", ...flags);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});

describe("assay mock --from-cassette", () => {
  it("serves the recorded answers until it is stopped, to a run without a key", async () => {
    const space = new TempProject(FILES);
    const flags = ["run", "--model", "m", "--name", "m", "--dataset", "data.jsonl", "--output", "json"];
    const source = startAssay(space.dir, ["mock", "--script", "mock.yaml"]);
    const recorded = await runPooledAssay(
      space.dir,
      ...flags,
      "--proxy",
      await readMockUrl(source),
      "--record",
      "calls",
    );
    const served = startAssay(space.dir, ["mock", "--from-cassette", "calls"]);
    const again = await runPooledAssay(space.dir, ...flags, "--proxy", await readMockUrl(served));
    expect(toTimeless(again)).toEqual(toTimeless(recorded));
    expect(toTimeless(again).map(({ outcome }) => outcome)).toEqual(["pass", "fail"]);
    served.child.kill("SIGINT");
    expect((await served.finished).stderr).toContain("2 requests, at most");
  });

  it.each([
    [["--reply", "echo"], "--from-cassette answers as recorded, so --reply cannot be combined with it"],
    [[], "calls does not exist"],
  ])("is refused with %j", async (flags, message) => {
    const { code, stderr } = await runPooledAssay(new TempProject().dir, "mock", "--from-cassette", "calls", ...flags);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});

describe("assay eval --record", () => {
  it("records agents and judges of graders, and replays both without the model", async () => {
    const space = new TempProject(FILES);
    const agent = ["--executor", `node ${TINY} {prompt}`, "--model", "openai/gpt-6-luna", "--output", "json"];
    const flags = ["eval", "-e", "eval.yaml", ...agent, "--trust"];
    const recorded = await runPooledAssay(space.dir, ...flags, "--mock", "agent.yaml", "--record", "calls");
    expect(
      toTimeless(recorded).map(({ outcome }) => outcome),
      recorded.stderr,
    ).toEqual(["pass"]);
    const replayed = await runPooledAssay(space.dir, ...flags, "--replay-traffic", "calls");
    expect(toTimeless(replayed), replayed.stderr).toEqual(toTimeless(recorded));
    expect(JSON.stringify(parseReport(replayed).rows[0]?.notes)).toContain("replayed: 2 model calls from");
  });
});
