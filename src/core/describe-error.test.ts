import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { describeError, summarizeError } from "./describe-error.js";
import { UsageError } from "./errors.js";

function thrown(...frames: string[]): Error {
  const error = new TypeError("no such thing");
  error.stack = ["TypeError: no such thing", ...frames.map((frame) => `    at ${frame}`)].join("\n");
  return error;
}

const MINE = join(process.cwd(), "lib", "mine.mjs");

describe("describeError", () => {
  it.each([
    ["a path", `process (${MINE}:3:5)`],
    ["a file URL", `process (${pathToFileURL(MINE).href}:3:5)`],
    ["a file URL with a query", `async process (${pathToFileURL(MINE).href}?t=1:3:5)`],
    ["a frame without a function", `${MINE}:3:5`],
    ["what lies below others' code", "JSON.parse (<anonymous>)"],
    ["what lies below a package", `call (${join(process.cwd(), "node_modules/x/index.js")}:1:1)`],
    ["what lies below Node", "node:internal/process/task_queues:95:5"],
    ["what lies below our own code", `add (${join(process.cwd(), "src/runner/call.ts")}:9:1)`],
  ])("names the file and line of the user's code: %s", (_, frame) => {
    expect(describeError(thrown(frame, `process (${MINE}:3:5)`))).toBe(`no such thing (${join("lib", "mine.mjs")}:3)`);
  });

  it("adds nothing if there is no user frame", () => {
    expect(describeError(thrown("node:internal/timers:1:1"))).toBe("no such thing");
    expect(describeError(new UsageError("explained"))).toBe("explained");
    expect(describeError("text")).toBe("text");
    expect(describeError({ message: "plain", stack: 7 })).toBe("plain");
    expect(describeError(null)).toBe("null");
  });
});

describe("summarizeError", () => {
  it.each([
    ["the first sentence", "127.0.0.1:80 answered 429. Slow down.", "127.0.0.1:80 answered 429"],
    ["one line", "It failed:\n  at x", "It failed: at x"],
    ["at most 80 characters", "x".repeat(100), `${"x".repeat(79)}…`],
    ["a text of one sentence", "Nothing listens.", "Nothing listens"],
  ])("keeps %s", (_, message, summary) => {
    expect(summarizeError(new Error(message))).toBe(summary);
  });
});
