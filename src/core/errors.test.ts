import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import {
  AssayError,
  DatasetError,
  EXIT,
  getErrorMessage,
  JournalError,
  ModuleError,
  RegistryError,
  RunFolderError,
  ScoreFieldError,
  ShapeError,
  TrialError,
  UsageError,
} from "./errors.js";
import { describeValue as inWords, requireShape } from "./shape.js";

describe("errors", () => {
  it("have a stable code, a name, an exit code and their cause", () => {
    const cause = new Error("below");
    const errors: [AssayError, string, number][] = [
      [new UsageError("m", { cause }), "USAGE", EXIT.usage],
      [new ShapeError("m"), "SHAPE", EXIT.usage],
      [new RegistryError("m"), "REGISTRY", EXIT.usage],
      [new DatasetError("m", { cause }), "DATASET", EXIT.usage],
      [new ScoreFieldError("m"), "SCORE_FIELD", EXIT.usage],
      [new ModuleError("m", { cause }), "MODULE", EXIT.usage],
      [new RunFolderError("m", { cause }), "RUN_FOLDER", EXIT.usage],
      [new JournalError("m", { cause }), "JOURNAL", EXIT.infrastructure],
      [new TrialError("timeout", "m", { cause }), "TRIAL", EXIT.infrastructure],
    ];
    for (const [error, code, exitCode] of errors) {
      expect(error).toBeInstanceOf(AssayError);
      expect(error).toMatchObject({ code, exitCode, message: "m", name: error.constructor.name });
    }
    expect(new UsageError("m", { cause }).cause).toBe(cause);
    expect(new UsageError("m")).not.toHaveProperty("cause");
  });
});

describe("getErrorMessage", () => {
  it.each([
    [new Error("broken"), "broken"],
    [new TypeError(""), "TypeError"],
    ["text", "text"],
    [undefined, "undefined"],
    [Symbol("s"), "Symbol(s)"],
    [{ message: "from a library" }, "from a library"],
    [{ status: 500 }, '{"status":500}'],
    [Object.create(null), "{}"],
    [runInNewContext('new Error("elsewhere")'), "elsewhere"],
  ])("returns the message of %o", (thrown, text) => {
    expect(getErrorMessage(thrown)).toBe(text);
  });

  it("never throws", () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    expect(getErrorMessage(circle)).toBe("an object");
  });
});

describe("requireShape", () => {
  it("checks the name before the methods", () => {
    expect(() => requireShape("A system", {}, ["process"])).toThrow("A system has no name");
    expect(() => requireShape("A system", { name: "" }, ["process"])).toThrow("A system has no name");
    expect(() => requireShape("A system", { name: "x" }, ["process"])).toThrow(
      'A system "x" has no method process(). It needs a `name` and a method process().',
    );
    expect(() => requireShape("A system", () => 1, ["process"])).toThrow("but is a function");
  });
});

describe("describeValue", () => {
  it.each([
    [null, "null"],
    [undefined, "undefined"],
    [[1], "an array"],
    [{}, "an object"],
    ["x", 'the string "x"'],
    [7, "the number 7"],
    [Number.NaN, "the number NaN"],
    [Number.POSITIVE_INFINITY, "the number Infinity"],
    [true, "the boolean true"],
    [5n, "the bigint 5"],
    [Symbol("s"), "the symbol Symbol(s)"],
  ])("describes %o", (value, words) => {
    expect(inWords(value)).toBe(words);
  });
});
