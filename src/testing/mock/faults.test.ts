import { isUtf8 } from "node:buffer";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { FaultPlan } from "./faults.js";
import { askMock, parseEvents, type RawResponse, TEXT_DIALECTS, type TextDialect } from "./raw-client.js";
import type { MockBehavior, MockFault } from "./script.js";
import { type Mock, startMock } from "./server.js";

let mock: Mock;
afterEach(() => mock.close());

const REPLY = "one two three four five six seven eight nine ten eleven twelve";
const END_MARK: Record<TextDialect, RegExp> = {
  chat: /data: \[DONE\]/,
  responses: /response\.completed/,
  anthropic: /message_stop/,
  gemini: /finishReason/,
};

async function startWith(faults: readonly MockFault[], more: MockBehavior = {}): Promise<string> {
  mock = await startMock({ reply: REPLY, faults, ...more });
  return mock.url;
}

/** Lets the mock see the end of the connection, which the client may see first. */
async function ended(index = 0): Promise<void> {
  await expect.poll(() => mock.requests[index]?.endedAt).not.toBeNull();
}

function parses({ text }: RawResponse): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe.each(TEXT_DIALECTS)("%s", (dialect) => {
  const shapes: Record<TextDialect, (type: unknown) => object> = {
    chat: (message) => ({ error: { message, type: expect.any(String), param: null } }),
    responses: (message) => ({ error: { message, type: expect.any(String), param: null } }),
    anthropic: (message) => ({ type: "error", error: { type: expect.stringMatching(/_error$/), message } }),
    gemini: (message) => ({ error: { code: expect.any(Number), message, status: expect.stringMatching(/^[A-Z_]+$/) } }),
  };

  it.each([401, 404, 429, 500, 503, 529] as const)("fails with status %i like the provider", async (kind) => {
    const { status, text } = await askMock(await startWith([{ kind, retryAfter: 3 }]), dialect, { stream: true });
    expect(status).toBe(kind);
    expect(JSON.parse(text)).toMatchObject(shapes[dialect](expect.stringContaining("scripted by assay mock")));
  });

  it.each([false, true])("sends an HTML page instead of an answer, streaming: %s", async (stream) => {
    const { status, headers, text } = await askMock(await startWith([{ kind: "html" }]), dialect, { stream });
    expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(text).toMatch(/^<!doctype html>/);
  });

  it.each([false, true])("sends an empty answer, streaming: %s", async (stream) => {
    const { status, text } = await askMock(await startWith([{ kind: "empty" }]), dialect, { stream });
    const events = stream ? parseEvents(text) : [JSON.parse(text)];
    expect(status).toBe(200);
    expect(JSON.stringify(events)).not.toMatch(/"text":|"content":"|"content_block|"item"/);
    expect(JSON.stringify(events)).toMatch(/"choices":\[\]|"output":\[\]|"content":\[\]|"candidates":\[\]/);
    expect(mock.requests[0]?.usage?.output).toBe(0);
  });

  it("disconnects before the first byte", async () => {
    const received = await askMock(await startWith([{ kind: "disconnect" }]), dialect);
    expect(received).toMatchObject({ status: null, error: "ECONNRESET" });
    await ended();
    expect(mock.requests[0]).toMatchObject({ status: null, fault: "disconnect", usage: null, aborted: false });
  });

  it("cuts a stream after the given number of tokens", async () => {
    const url = await startWith([{ kind: "cut", afterTokens: 8 }], { usage: { reasoning: 5 } });
    const received = await askMock(url, dialect, { stream: true });
    expect(received).toMatchObject({ status: 200, error: "ECONNRESET" });
    expect(received.text).toContain("one two");
    expect(received.text).not.toContain("twelve");
    expect(received.text).not.toMatch(END_MARK[dialect]);
    await ended();
    expect(mock.requests[0]).toMatchObject({ status: 200, fault: "cut", usage: { output: 13 }, aborted: false });
  });

  it("cuts a body in the middle", async () => {
    const received = await askMock(await startWith([{ kind: "cut" }]), dialect);
    expect(received.error).toBe("ECONNRESET");
    expect(received.bytes.length).toBeGreaterThan(0);
    expect(received.bytes.length).toBeLessThan(Number(received.headers["content-length"]));
  });

  it("ends a stream properly but early", async () => {
    const received = await askMock(await startWith([{ kind: "early-end" }]), dialect, { stream: true });
    expect(received).toMatchObject({ status: 200, error: null });
    expect(parseEvents(received.text).length).toBeGreaterThan(1);
    expect(received.text).not.toMatch(END_MARK[dialect]);
    expect(parses(await askMock(mock.url, dialect))).toBe(false);
  });

  it("sends malformed JSON, and continues", async () => {
    const { text, error } = await askMock(await startWith([{ kind: "malformed" }]), dialect, { stream: true });
    expect(error).toBeNull();
    expect(() => parseEvents(text)).toThrow(SyntaxError);
    expect(text).toMatch(END_MARK[dialect]);
    expect(parses(await askMock(mock.url, dialect))).toBe(false);
  });

  it.each([false, true])("sends invalid UTF-8, streaming: %s", async (stream) => {
    const { bytes, error } = await askMock(await startWith([{ kind: "invalid-utf8" }]), dialect, { stream });
    expect([isUtf8(bytes), error]).toEqual([false, null]);
    const mended = Buffer.from(bytes.toString()).toString();
    // Apart from the broken characters it is a valid answer.
    const parsed = stream ? parseEvents(mended) : [JSON.parse(mended)];
    expect(parsed.length).toBeGreaterThanOrEqual(1);
    expect(JSON.stringify(parsed)).toContain("\ufffd");
  });

  it.each([false, true])("sends a huge valid line, streaming: %s", async (stream) => {
    const url = await startWith([{ kind: "huge-line", bytes: 3_000_001 }]);
    const { text } = await askMock(url, dialect, { stream });
    const longest = Math.max(...text.split("\n").map((line) => line.length));
    expect(text.match(/x{1000,}/)?.[0]).toHaveLength(3_000_001);
    expect(longest).toBeGreaterThan(3_000_000);
    if (stream) expect(text).toMatch(END_MARK[dialect]);
    const parsed = stream ? parseEvents(text) : [JSON.parse(text)];
    expect(JSON.stringify(parsed)).toContain("x".repeat(1000));
  });

  it("fails in the middle of a stream", async () => {
    const { status, text } = await askMock(await startWith([{ kind: "error-event" }]), dialect, { stream: true });
    expect([status, text.includes("one two")]).toEqual([200, true]);
    expect(JSON.stringify(parseEvents(text).at(-1))).toMatch(/"error"|"type":"error"/);
    expect(text).not.toMatch(END_MARK[dialect]);
    const whole = await askMock(mock.url, dialect);
    expect([whole.status, JSON.parse(whole.text)]).toMatchObject([200, { error: {} }]);
  });

  it.each([undefined, 8])("hangs as long as the client waits, after %s tokens", async (afterTokens) => {
    const url = await startWith([{ kind: "hang", ...(afterTokens !== undefined && { afterTokens }) }]);
    const asked = askMock(url, dialect, { stream: true });
    const state = () => ({ fault: mock.requests[0]?.fault, output: mock.requests[0]?.usage?.output });
    await expect.poll(state).toEqual({ fault: "hang", output: afterTokens });
    expect(mock.counts.open).toBe(1);
    await mock.close();
    const { text, error } = await asked;
    expect(error).toBe("ECONNRESET");
    expect(text.includes("one two")).toBe(afterTokens !== undefined);
  });
});

it("sends byte by byte", async () => {
  const url = await startWith([{ kind: "slow-loris", intervalMs: 1 }], { reply: "Hi" });
  const blocks: number[] = [];
  const { text } = await askMock(url, "chat", {}, { onData: (data) => blocks.push(data.length) > 0 });
  expect(parses({ text } as RawResponse)).toBe(true);
  expect(blocks.length).toBeGreaterThan(text.length / 4);
});

describe("Retry-After", () => {
  it("is a number of seconds, or a date in the future", async () => {
    const faults = [{ kind: 429, first: 1, retryAfter: 7 } as const, { kind: 503, retryAfter: "http-date" } as const];
    const url = await startWith(faults);
    expect((await askMock(url, "gemini")).headers["retry-after"]).toBe("7");
    const before = Date.now();
    const date = Date.parse((await askMock(url, "chat")).headers["retry-after"] ?? "");
    expect(date).toBeGreaterThan(before);
    expect(date).toBeLessThanOrEqual(Date.now() + 2000);
    expect((await askMock(await startWith([{ kind: 500 }]), "chat")).headers).not.toHaveProperty("retry-after");
  });
});

describe("selection of requests", () => {
  async function statuses(faults: readonly MockFault[], count: number, model?: string): Promise<(number | null)[]> {
    const url = await startWith(faults);
    const found: (number | null)[] = [];
    for (let at = 0; at < count; at++)
      found.push((await askMock(url, "chat", model === undefined ? {} : { model })).status);
    return found;
  }

  it("selects the first ones, or every n-th", async () => {
    expect(await statuses([{ kind: 500, first: 2 }], 4)).toEqual([500, 500, 200, 200]);
    await mock.close();
    expect(await statuses([{ kind: 503, every: 2 }], 4)).toEqual([200, 503, 200, 503]);
    expect(mock.counts).toMatchObject({ requests: 4, byStatus: { "200": 2, "503": 2 }, byFault: { "503": 2 } });
  });

  it("selects those of a model", async () => {
    expect(await statuses([{ kind: 500, model: "other" }], 2)).toEqual([200, 200]);
    await mock.close();
    expect(await statuses([{ kind: 500, model: "other" }], 1, "other")).toEqual([500]);
  });

  it("selects a share, the same for the same seed in any order", () => {
    const chosen = (seed: number, tasks: readonly string[]) => {
      const plan = new FaultPlan(
        [
          { kind: 429, rate: 0.3 },
          { kind: 500, rate: 0.2 },
        ],
        seed,
      );
      return new Map(tasks.map((task) => [task, plan.choose({ model: "m", task, arrival: 0 })?.kind]));
    };
    const tasks = Array.from({ length: 2000 }, (_, at) => `task ${at}`);
    const kinds = [...chosen(1, tasks).values()];
    expect(kinds.filter((kind) => kind === "429").length / 2000).toBeCloseTo(0.3, 1);
    expect(kinds.filter((kind) => kind === "500").length / 2000).toBeCloseTo(0.2, 1);
    expect(chosen(1, tasks.toReversed())).toEqual(chosen(1, tasks));
    expect(chosen(2, tasks)).not.toEqual(chosen(1, tasks));
  });

  it("selects all if the rates add up to 1", () => {
    const rates = fc.tuple(fc.integer({ min: 0, max: 100 }), fc.string());
    fc.assert(
      fc.property(rates, fc.nat(), ([percent, task], arrival) => {
        const rate = percent / 100;
        const plan = new FaultPlan(
          [
            { kind: 429, rate },
            { kind: "cut", rate: 1 - rate + 1e-9 },
          ],
          5,
        );
        return plan.choose({ model: "m", task, arrival }) !== null;
      }),
    );
  });
});
