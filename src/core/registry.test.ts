import { describe, expect, it } from "vitest";
import { RegistryError, ShapeError } from "./errors.js";
import type { Evaluator } from "./evaluator.js";
import { Registry, type RegistryKind, registerDataset, registry } from "./registry.js";

const brief: Evaluator = { name: "brief", score: () => ({ brief: 1 }) };

describe("Registry", () => {
  it("returns registered values and lists names in order, separately for each kind", () => {
    const names = new Registry();
    names.register("evaluator", "brief", brief);
    names.register("evaluator", "apt", () => brief);
    expect(names.get("evaluator", "brief")).toBe(brief);
    expect(names.list("evaluator")).toEqual(["apt", "brief"]);
    expect(names.list("metric")).toEqual([]);
    expect(names.has("evaluator", "brief")).toBe(true);
    expect(names.has("system", "brief")).toBe(false);
  });

  it("suggests a name for an unknown one and lists the known names", () => {
    const names = new Registry();
    for (const name of ["truncate", "extract"]) names.register("system", name, { name, process: () => ({}) });
    expect(() => names.get("system", "tuncrate")).toThrow(
      new RegistryError('Unknown system "tuncrate". Did you mean "truncate"? Known: extract, truncate.'),
    );
    expect(() => names.get("system", "zzz")).toThrow('Unknown system "zzz". Known: extract, truncate.');
    expect(() => names.get("grader", "any")).toThrow("None are known.");
  });

  it("rejects a name that is taken unless replace is set", () => {
    const names = new Registry();
    const other: Evaluator = { ...brief };
    names.register("evaluator", "brief", brief);
    expect(() => names.register("evaluator", "brief", other)).toThrow(/already registered.*replace: true/);
    expect(names.get("evaluator", "brief")).toBe(brief);
    names.register("evaluator", "brief", other, { replace: true });
    expect(names.get("evaluator", "brief")).toBe(other);
  });

  const methods: [RegistryKind, string][] = [
    ["dataset", "load"],
    ["system", "process"],
    ["evaluator", "score"],
    ["metric", "compute"],
    ["reporter", "render"],
    ["grader", "grade"],
  ];

  it.each(methods)("names the method that a %s lacks", (kind, method) => {
    const names = new Registry();
    const attempt = (value: unknown) => () => names.register(kind, "mine", value as never);
    expect(attempt({ name: "mine" })).toThrow(ShapeError);
    expect(attempt({ name: "mine" })).toThrow(`The ${kind} "mine" has no method ${method}()`);
    expect(attempt({ name: "mine", [method]: "text" })).toThrow(`has no method ${method}()`);
    expect(attempt(null)).toThrow(`must be an object with a method ${method}(), but is null`);
    expect(attempt("mine")).toThrow('but is the string "mine"');
    expect(names.list(kind)).toEqual([]);
  });

  it("finds methods on the prototype of class instances", () => {
    class Mine {
      readonly name = "mine";
      score() {
        return { mine: 1 };
      }
    }
    const names = new Registry();
    const mine = new Mine();
    names.register("evaluator", "mine", mine);
    expect(names.get("evaluator", "mine")).toBe(mine);
  });

  it("accepts factories except for datasets and reporters", () => {
    const names = new Registry();
    names.register("system", "made", () => ({ name: "made", process: () => ({}) }));
    expect(names.has("system", "made")).toBe(true);
    expect(() => names.register("reporter", "made", (() => "") as never)).toThrow("but is a function");
  });

  it("rejects an empty name and an unknown kind", () => {
    const names = new Registry();
    expect(() => names.register("evaluator", "", brief)).toThrow("needs a non-empty name");
    expect(() => names.list("evaluators" as RegistryKind)).toThrow(
      /Unknown registry kind the string "evaluators"\. Did you mean "evaluator"\?/,
    );
    expect(() => names.get("constructor" as RegistryKind, "x")).toThrow(RegistryError);
  });
});

describe("registerDataset", () => {
  const examples = [{ id: 1, question: "Capital of France?", answer: "Paris" }];

  it("accepts examples, a function or a definition", async () => {
    registerDataset("test-examples", examples);
    registerDataset("test-function", () => examples);
    registerDataset("test-definition", { description: "one question", load: () => examples });
    for (const name of ["test-examples", "test-function", "test-definition"]) {
      expect(await registry.get("dataset", name).load({})).toEqual(examples);
    }
    expect(registry.get("dataset", "test-definition").description).toBe("one question");
    expect(() => registerDataset("test-examples", examples)).toThrow("already registered");
  });

  it.each([null, undefined, 7, { examples }])("describes what is wrong with %o", (value) => {
    expect(() => registerDataset("test-wrong", value as never)).toThrow(ShapeError);
    expect(registry.has("dataset", "test-wrong")).toBe(false);
  });
});
