import { describe, expect, it } from "vitest";
import { computeCost, toDollars } from "../../src/budget/index.js";
import { lacksBoxes } from "../../src/testing/boxes.js";
import { findTestEngine } from "../../src/testing/containers.js";
import { ADAPTED_AGENTS, expectNothingLeft, fillUsage, sumMockUsage, tryAgent } from "./real-agent.js";

const GREETING = `hello-from-${process.pid}-${Date.now()}`;
const HELLO = `echo ${GREETING} > hello.txt && cat hello.txt`;
const GRADERS = [{ type: "run-command", required: true, config: { command: `grep ${GREETING} hello.txt` } }];
const AGENTS = ADAPTED_AGENTS.map(({ name, version }) => [name, version] as const);

const engine = await findTestEngine();

async function expectEqualCounts(name: string, isolation: string, image?: string): Promise<void> {
  const { row, calls, price } = await tryAgent(name, {
    script: { tools: [{ command: HELLO }, { text: "Done." }] },
    example: { graders: GRADERS, ...(image !== undefined && { environment: { image } }) },
    isolation,
  });
  expect(row, JSON.stringify([row.attempts, row.notes])).toMatchObject({
    outcome: "pass",
    errorCategory: "none",
    costSource: "priced",
    metadata: { agent: name, meter: "gateway", requests: calls.length, isolation: { kind: isolation, exceeded: [] } },
  });
  const counted = sumMockUsage(calls);
  expect(fillUsage(row)).toEqual(counted);
  expect(row.costUsd).toBeCloseTo(toDollars(computeCost(price, counted)) ?? 0, 9);
  expectNothingLeft(GREETING);
}

describe.skipIf(await lacksBoxes()).each(AGENTS)("real %s %s in a box", (name) => {
  it("solves a task, and its row has the tokens and dollars that the endpoint counted", () =>
    expectEqualCounts(name, "box"));
});

describe.skipIf(engine === null).each(AGENTS)("real %s %s in a container", (name) => {
  it("solves a task, and its row has the tokens and dollars that the endpoint counted", () =>
    expectEqualCounts(name, engine?.isolation ?? "", engine?.image));
});
