import { describe, expect, it } from "vitest";
import { TrialError } from "../core/errors.js";
import type { Trial } from "./admit.js";
import { type AttemptResult, openCall } from "./call.js";
import { classifyAttempt } from "./classify.js";

const RUNNING = new AbortController().signal;
const CALL = openCall({
  trial: { trial: 0, example: { id: 1 }, system: { name: "s" } } as Trial,
  seed: 0,
  signal: RUNNING,
  budget: null,
  stop: null,
});
const threw = (error: unknown): AttemptResult => ({ kind: "threw", error, durationMs: 5, call: CALL });

function errorWith(fields: Record<string, unknown>): Error {
  return Object.assign(new Error("failed"), fields);
}

describe("classify", () => {
  const cases: [string, unknown, string][] = [
    ["our own error", new TrialError("rate_limit", "slow down"), "rate_limit"],
    ["status 429", errorWith({ status: 429 }), "rate_limit"],
    ["status 408", errorWith({ status: 408 }), "timeout"],
    ["status 504", errorWith({ status: 504 }), "timeout"],
    ["AbortSignal.timeout", new DOMException("late", "TimeoutError"), "timeout"],
    ["a socket that times out", errorWith({ code: "ETIMEDOUT" }), "timeout"],
    ["status 400", errorWith({ status: 400 }), "api_error"],
    ["status 500", errorWith({ status: 500 }), "api_error"],
    ["a refused connection", errorWith({ code: "ECONNREFUSED" }), "api_error"],
    ["fetch's cause", new TypeError("fetch failed", { cause: errorWith({ code: "ECONNRESET" }) }), "api_error"],
    [
      "a slow cause",
      new TypeError("fetch failed", { cause: errorWith({ code: "UND_ERR_HEADERS_TIMEOUT" }) }),
      "timeout",
    ],
    ["a plain object", { status: 503, message: "busy" }, "api_error"],
    ["any other error", new TypeError("x is not a function"), "system_error"],
    ["text", "no", "system_error"],
    ["nothing", undefined, "system_error"],
    ["a code that is not a text", errorWith({ code: { toString: 1 } }), "system_error"],
    ["an object without a prototype", Object.create(null), "system_error"],
  ];

  it.each(cases)("classifies %s", (_, error, category) => {
    expect(classifyAttempt(threw(error), RUNNING)).toMatchObject({
      kind: "error",
      category,
      attempt: { errorCategory: category, durationMs: 5, message: expect.any(String) },
    });
  });

  it("handles an error that is its own cause", () => {
    const error = new Error("round");
    error.cause = error;
    expect(classifyAttempt(threw(error), RUNNING)).toMatchObject({ category: "system_error" });
  });

  it("ignores failures while the run is being stopped", () => {
    expect(classifyAttempt(threw(new Error("aborted")), AbortSignal.abort())).toEqual({
      kind: "skipped",
      reason: null,
    });
  });

  it("keeps a returned output even while the run is being stopped", () => {
    const attempted: AttemptResult = {
      kind: "returned",
      output: { response: "x", stopped: "truncated" },
      latency: 1,
      durationMs: 1000,
      call: CALL,
    };
    expect(classifyAttempt(attempted, AbortSignal.abort())).toMatchObject({ kind: "gradable", category: "truncated" });
    const whole = { ...attempted, output: { response: "x" } };
    expect(classifyAttempt(whole, RUNNING)).toMatchObject({ kind: "gradable", category: "none" });
  });
});
