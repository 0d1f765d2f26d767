import { expect, test } from "vitest";
import { alignSteps } from "../../../../src/report/dashboard/align.js";
import type { TimelineStep } from "../../../../src/report/dashboard/contract.js";
import { groupRequests, pairSteps } from "../../../../src/report/dashboard/steps.js";
import { layOutFlame } from "./flame-graph.js";
import { filterEntries } from "./steps.js";

function createStep(kind: TimelineStep["kind"], given: Partial<TimelineStep> = {}): TimelineStep {
  return {
    atMs: 0,
    kind,
    title: "",
    text: "",
    length: 0,
    callId: null,
    isSuccess: null,
    diff: null,
    costUsd: null,
    tokens: null,
    stepCostUsd: null,
    stepTokens: null,
    durationMs: null,
    ...given,
  };
}

const request = (stepCostUsd: number | null, stepTokens = 100) => createStep("tokens", { stepCostUsd, stepTokens });
const call = (title: string, callId: string) => createStep("call", { title, callId });
const answer = (callId: string, isSuccess: boolean, text = "") => createStep("result", { callId, isSuccess, text });

const STEPS = [
  createStep("turn", { title: "Turn 1" }),
  request(3),
  call("Read: a.js", "1"),
  answer("1", true, "const a = 1"),
  createStep("pass"),
  createStep("turn", { title: "Turn 2" }),
  call("Bash: npm test", "2"),
  request(1),
  answer("2", false, "1 failed"),
];

test("names a request by what it led to, also when the request comes after it", () => {
  const turns = groupRequests(pairSteps(STEPS));
  expect(turns.map(({ name, requests }) => [name, requests.map((block) => [block.name, block.place])])).toEqual([
    ["Turn 1", [["Read: a.js", 2]]],
    ["Turn 2", [["Bash: npm test", 6]]],
  ]);
});

test("makes blocks as wide as their cost, and marks those after the first passing state", () => {
  const flame = layOutFlame(groupRequests(pairSteps(STEPS)));
  expect(flame?.unit).toBe("usd");
  expect(flame?.blocks.map(({ depth, start, share, isAfterPass }) => [depth, start, share, isAfterPass])).toEqual([
    [0, 0, 0.75, false],
    [1, 0, 0.75, false],
    [0, 0.75, 0.25, true],
    [1, 0.75, 0.25, true],
  ]);
});

test("takes tokens where a cost is unknown, and draws nothing for one request", () => {
  expect(layOutFlame(groupRequests(pairSteps([request(1), request(null)])))).toMatchObject({
    unit: "tokens",
    total: 200,
    hasTurns: false,
  });
  expect(layOutFlame(groupRequests(pairSteps([request(1)])))).toBeNull();
});

test("finds failed steps, and text in results", () => {
  const entries = pairSteps(STEPS);
  const all = { hidden: [], isFailedOnly: false, text: "" };
  expect(filterEntries(entries, { ...all, isFailedOnly: true }).map(({ place }) => place)).toEqual([6]);
  expect(filterEntries(entries, { ...all, text: "CONST a" }).map(({ place }) => place)).toEqual([2]);
});

test("aligns steps by kind and tool, with gaps", () => {
  const first = pairSteps([call("Read: a.js", "1"), call("Edit: a.js", "2"), createStep("says")]);
  const second = pairSteps([call("Read: b.js", "1"), createStep("says")]);
  const places = alignSteps(first, second).map(({ a, b }) => [a?.place ?? null, b?.place ?? null]);
  expect(places).toEqual([
    [0, 0],
    [1, null],
    [2, 1],
  ]);
});

test("aligns long timelines that share nothing in time", () => {
  const first = pairSteps(Array.from({ length: 5000 }, (_, n) => call(`a${n}`, `${n}`)));
  const second = pairSteps(Array.from({ length: 5000 }, (_, n) => call(`b${n}`, `${n}`)));
  const aligned = alignSteps(first, second);
  expect(aligned).toHaveLength(5000);
  expect(aligned.at(-1)).toMatchObject({ a: { place: 4999 }, b: { place: 4999 } });
});
