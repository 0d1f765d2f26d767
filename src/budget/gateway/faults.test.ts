import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { CALL_FAULT_KINDS, type CallFaultKind } from "../../core/index.js";
import { GATEWAY_DIALECT_NAMES, type GatewayDialectName } from "../../models/dialects/index.js";
import { startMock } from "../../testing/mock/index.js";
import { FAULT_KINDS as MOCK_FAULT_KINDS } from "../../testing/mock/script.js";
import { type FaultRule, formatFaultRules, parseFaultRules, TrialFaults } from "./faults.js";
import { buildTestRequest, buildTestUrl, Closers, parseSseEvents, startTestGateway } from "./scripted-upstream.js";

const closers = new Closers();
afterEach(() => closers.closeAll());

const REPLY = "one two three four five six seven eight nine ten";

/** A gateway before a mock, with one fault for every call. */
async function setUp(rules: readonly FaultRule[] | string, seed = 1) {
  const mock = closers.add(await startMock({ reply: REPLY, chunkTokens: 1 }));
  const faults = new TrialFaults({ rules: typeof rules === "string" ? parseFaultRules(rules) : rules, seed });
  const { gateway, finished } = closers.add(await startTestGateway(mock.url, { faults }));
  const ask = async (name: GatewayDialectName, stream: boolean) => {
    try {
      const response = await fetch(buildTestUrl(gateway, name, stream), buildTestRequest(name, stream));
      return { status: response.status, headers: response.headers, text: await response.text(), failed: false };
    } catch {
      return { status: null, headers: new Headers(), text: "", failed: true };
    }
  };
  return { mock, faults, gateway, finished, ask };
}

describe.each(GATEWAY_DIALECT_NAMES)("faults injected into calls of %s", (name) => {
  it.each(["429", "500", "503", "529"] as const)("answers %s without calling the upstream, for free", async (kind) => {
    const { mock, faults, gateway, finished, ask } = await setUp(`${kind}=1`);
    const { status, headers, text } = await ask(name, true);
    expect(status).toBe(Number(kind));
    expect(headers.get("retry-after")).toBe(kind === "429" ? "1" : null);
    expect(text).toContain("injected by Assay");
    expect(mock.requests).toHaveLength(0);
    expect(finished).toMatchObject([{ ending: "failed", fault: kind, usage: null, costUsd: null, model: "m" }]);
    expect(gateway.receipt()).toMatchObject({ totalUsd: 0, requests: 1, failed: 1 });
    expect(faults.injected).toEqual([{ kind, request: 0, recoveryMs: null }]);
  });

  it("resets the connection without calling the upstream", async () => {
    const { mock, gateway, ask } = await setUp("disconnect=1");
    expect(await ask(name, true)).toMatchObject({ failed: true });
    expect(mock.requests).toHaveLength(0);
    expect(gateway.receipt()).toMatchObject({ totalUsd: 0, failed: 1 });
  });

  it.each([true, false])("cuts an answer in the middle and bills what was received, streamed: %s", async (stream) => {
    const { mock, faults, gateway, finished, ask } = await setUp("cut=1");
    expect(await ask(name, stream)).toMatchObject({ failed: true });
    expect(mock.requests).toHaveLength(1);
    expect(finished).toMatchObject([{ ending: "failed", fault: "cut", finish: null }]);
    const { totalUsd } = gateway.receipt();
    expect(totalUsd).toBeGreaterThan(0);
    const whole = await setUp("cut=0");
    await whole.ask(name, stream);
    expect(totalUsd).toBeLessThan(whole.gateway.receipt().totalUsd);
    expect(faults.injected).toHaveLength(1);
  });

  it.each([true, false])("sends malformed JSON, streamed: %s", async (stream) => {
    const { ask, finished } = await setUp("malformed=1");
    const { status, text } = await ask(name, stream);
    expect(status).toBe(200);
    expect(() => (stream ? parseSseEvents(text) : JSON.parse(text))).toThrow(SyntaxError);
    expect(finished).toMatchObject([{ fault: "malformed" }]);
  });

  it.each(["slow", "stall"])("delays an answer with %s and changes nothing else", async (kind) => {
    const { ask, faults, finished } = await setUp(`${kind}=1:0.05`);
    const plain = await setUp(`${kind}=0`);
    expect((await ask(name, true)).text.length).toBe((await plain.ask(name, true)).text.length);
    expect((await ask(name, false)).status).toBe(200);
    expect(finished.every(({ durationMs }) => durationMs >= 45)).toBe(true);
    expect(faults.injected).toEqual([0, 1].map((request) => ({ kind, request, recoveryMs: null })));
  });
});

it("cuts a stream of one event and one of three events before its end", async () => {
  for (const reply of ["", "x"]) {
    const mock = closers.add(await startMock({ reply }));
    const faults = new TrialFaults({ rules: parseFaultRules("cut=1"), seed: 1 });
    const { gateway } = closers.add(await startTestGateway(mock.url, { faults }));
    for (const name of GATEWAY_DIALECT_NAMES) {
      const cut = async () => (await fetch(buildTestUrl(gateway, name, true), buildTestRequest(name, true))).text();
      await expect(cut()).rejects.toThrow();
    }
    expect(faults.injected).toHaveLength(GATEWAY_DIALECT_NAMES.length);
  }
});

it("records no fault of an answer if the upstream gave none", async () => {
  const mock = closers.add(await startMock({ faults: [{ kind: 500 }] }));
  const faults = new TrialFaults({ rules: parseFaultRules("cut=1"), seed: 1 });
  const { gateway, finished } = closers.add(await startTestGateway(mock.url, { faults }));
  await (await fetch(buildTestUrl(gateway, "chat", true), buildTestRequest("chat", true))).text();
  expect(finished).toMatchObject([{ status: 500, fault: null }]);
  expect(faults.injected).toEqual([]);
});

it("injects as many faults as the upstream did not see, the same ones for the same seed", async () => {
  const kinds = async (seed: number) => {
    const { mock, faults, ask } = await setUp("429=0.3,disconnect=0.1,503=0.2", seed);
    for (let i = 0; i < 40; i++) await ask("chat", i % 2 === 0);
    expect(mock.requests).toHaveLength(40 - faults.injected.length);
    return faults.injected.map(({ kind, request }) => `${kind} at ${request}`);
  };
  const first = await kinds(7);
  expect(first.length).toBeGreaterThan(10);
  expect(await kinds(7)).toEqual(first);
  expect(await kinds(8)).not.toEqual(first);
});

it("leaves calls that are not of a model alone", async () => {
  const { gateway, faults } = await setUp("500=1");
  await fetch(`${gateway.url}/openai/v1/models`);
  expect(faults.injected).toEqual([]);
});

describe("TrialFaults", () => {
  it("injects each fault at its rate", () => {
    const rules = parseFaultRules("429=0.1,cut=0.05,slow=0.25");
    const counts = new Map<string, number>();
    const trials = 20_000;
    for (let seed = 0; seed < trials; seed++) {
      const planned = new TrialFaults({ rules, seed }).next()?.kind ?? "none";
      counts.set(planned, (counts.get(planned) ?? 0) + 1);
    }
    // Six standard errors.
    for (const { kind, rate } of rules)
      expect(Math.abs((counts.get(kind) ?? 0) / trials - rate)).toBeLessThan(
        6 * Math.sqrt((rate * (1 - rate)) / trials),
      );
  });

  it("measures from each fault to the end of the next complete answer", () => {
    let now = 100;
    const faults = new TrialFaults({ rules: [], seed: 1, now: () => now });
    const fail = (kind: CallFaultKind, request: number) => faults.recordFault({ kind, request, seconds: null });
    fail("429", 0);
    now = 150;
    fail("cut", 1);
    fail("slow", 2);
    now = 400;
    faults.recordAnswer();
    now = 900;
    fail("500", 3);
    expect(faults.injected).toEqual([
      { kind: "429", request: 0, recoveryMs: 300 },
      { kind: "cut", request: 1, recoveryMs: 250 },
      { kind: "slow", request: 2, recoveryMs: null },
      { kind: "500", request: 3, recoveryMs: null },
    ]);
  });
});

describe("parseFaultRules", () => {
  it("reads shares and seconds", () => {
    expect(parseFaultRules("429=0.1, cut=.05,slow=1e-1:0.5,503=0:7")).toEqual([
      { kind: "429", rate: 0.1, seconds: 1 },
      { kind: "cut", rate: 0.05, seconds: null },
      { kind: "slow", rate: 0.1, seconds: 0.5 },
      { kind: "503", rate: 0, seconds: 7 },
    ]);
    expect(parseFaultRules("429=0.7,cut=0.2,slow=0.1")).toHaveLength(3);
  });

  it("is undone by formatFaultRules", () => {
    const rule = fc.record({
      kind: fc.constantFrom(...CALL_FAULT_KINDS),
      rate: fc.double({ min: 0, max: 0.1, noNaN: true }),
      seconds: fc.integer({ min: 0, max: 9 }),
    });
    fc.assert(
      fc.property(fc.uniqueArray(rule, { minLength: 1, selector: ({ kind }) => kind }), (given) => {
        const takes = (kind: string) => /^\d|slow|stall/.test(kind);
        const rules = given.map((one) => ({ ...one, seconds: takes(one.kind) ? one.seconds : null }));
        expect(parseFaultRules(formatFaultRules(rules))).toEqual(rules);
      }),
    );
  });

  it.each([
    ["419=0.1", /Unknown fault "419"\. Did you mean "429"\? Known: 429, 500/],
    ["cuts=0.1", /Did you mean "cut"\?/],
    ["429", /429 has no share of model calls\. Write 429=0\.1/],
    ["429=", /must be a number from 0 to 1, but is ""/],
    ["429=1.1", /must be a number from 0 to 1, but is "1\.1"/],
    ["429=-0.1", /from 0 to 1/],
    ["429=NaN", /from 0 to 1/],
    ["429=0x1", /from 0 to 1/],
    ["429=10%", /from 0 to 1, but is "10%"/],
    ["429=0.6,500=0.5", /add up to 1\.1, but a model call has at most one fault/],
    ["429=0.1,429=0.2", /given twice/],
    ["", /has no name/],
    ["429=0.1,,cut=0.1", /has no name/],
    ["cut=0.1:3", /cut takes no seconds/],
    ["slow=0.1:-3", /from 0 to 3600/],
    ["slow=0.1:1e9", /from 0 to 3600/],
  ])("rejects %j with a message that says what to do", (text, message) => {
    expect(() => parseFaultRules(text)).toThrow(message);
  });
});

it("names its faults like the mock, which has no delays of single calls", () => {
  const own = CALL_FAULT_KINDS.filter((kind) => !(MOCK_FAULT_KINDS as readonly string[]).includes(kind));
  expect(own).toEqual(["slow", "stall"]);
});
