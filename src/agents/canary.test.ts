import { describe, expect, it } from "vitest";
import type { Output } from "../core/index.js";
import { createAgentFolders, expectNothingLeft, runScriptedTrial } from "../testing/scripted-trial.js";
import { createAgentCanary } from "./canary.js";
import type { AgentScript } from "./scripted-agent.js";

const QUESTION = createAgentCanary(true)?.example.question ?? "";
const MADE = [{ type: "file-contains", config: { path: "a.txt", value: "made" } }];
const dataset = Array.from({ length: 10 }, (_, id) => ({ id, question: "Do it", graders: MADE }));
const WORK = [{ ask: true, silent: true }, { write: "a.txt", text: "made" }, { end: "done" }] as const;

/** Ten tasks by the scripted agent, which does this for the canary. */
function runTen(canary: AgentScript[string], more: Partial<Parameters<typeof runScriptedTrial>[0]> = {}) {
  return runScriptedTrial({ dataset, does: { "*": WORK, [QUESTION]: canary }, ...more });
}

describe("the canary of an agent", () => {
  it("is a file to write, in its own folder, paid apart from the trials", async () => {
    const place = createAgentFolders();
    const { result, mock } = await runTen(
      [{ ask: true, silent: true }, { write: "canary.txt", text: "ready\n" }, { end: "done" }],
      { place, run: { budget: { run: { maxCostUsd: 100 } } } },
    );
    expect(result.rows.map(({ outcome }) => outcome)).toEqual(Array(10).fill("pass"));
    expect(mock.requests).toHaveLength(11);
    expect(result.notes).toContain("canary, a trivial task before the trials: scripted passed ($0.0102)");
    expect(result.budget).toMatchObject({ canaryUsd: 0.0102, trialsUsd: expect.closeTo(0.102, 9), spentUsd: 0.1122 });
    expectNothingLeft(place);
  });

  it("stops an agent that cannot write, before it costs more, and says what it did", async () => {
    const place = createAgentFolders();
    const { result, mock } = await runTen([{ ask: true }, { end: "done" }], { place });
    expect(mock.requests).toHaveLength(1);
    const [row] = result.rows;
    expect(result.rows.every(({ outcome }) => outcome === "skipped")).toBe(true);
    expect(row?.notes[0]).toMatch(
      /^not run: its canary failed: it did not create canary\.txt, with 0 tool calls\. It said: Done\./,
    );
    expectNothingLeft(place);
  });

  it("tells why an endpoint refused it", async () => {
    const { result } = await runTen([{ ask: true }], { model: { faults: [{ kind: 401 }] } });
    expect(result.rows[9]?.notes[0]).toMatch(/^not run: its canary failed: scripted.*401/);
    expect(result.notes.join("\n")).toMatch(/"scripted" was stopped, and 10 trials were not run/);
  });

  it("is not run if not wanted, nor before a few trials", async () => {
    const off = await runTen([{ end: "done" }], { agent: { canary: false } });
    expect(off.result.rows.map(({ outcome }) => outcome)).toEqual(Array(10).fill("pass"));
    expect(off.mock.requests).toHaveLength(10);
    const few = await runTen([{ end: "done" }], { dataset: dataset.slice(0, 2) });
    expect(few.mock.requests).toHaveLength(2);
    const always = await runTen([{ end: "done" }], { dataset: dataset.slice(0, 2), agent: { canary: true } });
    expect(always.result.rows.map(({ outcome }) => outcome)).toEqual(["skipped", "skipped"]);
  });
});

it("quotes what the agent said, and how it ended", () => {
  const canary = createAgentCanary(undefined);
  const tell = (output: Output) => canary?.findProblem(output);
  const changes = [{ path: "canary.txt", status: "added", content: "no" }] as const;
  expect(canary?.isAlways).toBeUndefined();
  expect(createAgentCanary(false)).toBeUndefined();
  expect(tell({ response: "", stopped: "truncated", metadata: { toolCalls: 1 } })).toBe(
    "it did not create canary.txt and ended as truncated, with 1 tool call. It said nothing",
  );
  expect(tell({ response: "I  may\nnot write.", workspace: { changes } })).toBe(
    "it did not write ready into canary.txt. It said: I may not write.",
  );
  expect(tell({ workspace: { changes: [{ ...changes[0], content: "ready" }] } })).toBeNull();
});
