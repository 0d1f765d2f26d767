import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findMetric } from "./custom-metrics.js";
import { classifyVerdict, findConfigProblem, makeGradedFolder, runBuiltInGrader } from "./graded-testing.js";
import { graderFactories } from "./index.js";

const METRICS = { coverage: { lines: 81.5 }, tests_failed: 0, built: true, mode: "auto", "a.b": 3, list: [{ n: 4 }] };
let workspace: string;

beforeAll(() => {
  workspace = makeGradedFolder({
    "metrics.json": `\uFEFF${JSON.stringify(METRICS)}`,
    "enveloped.json": JSON.stringify({ schema: "v1", values: { quality: 0.8 } }),
    "broken.json": "{ no",
    "empty.json": "",
    "custom_metrics.json": '{"quality": 1}',
  });
  mkdirSync(join(workspace, "folder.json"));
  symlinkSync("/etc/hostname", join(workspace, "outside.json"));
});
afterAll(() => rmSync(workspace, { recursive: true }));

function metrics(assertions: readonly object[], more: object = { path: "metrics.json" }) {
  return runBuiltInGrader("custom-metrics", { assertions, ...more }, { workspace });
}

describe("custom-metrics", () => {
  it.each([
    [{ metric: "coverage.lines", op: ">=", value: 81.5 }, "pass"],
    [{ metric: "coverage.lines", op: ">", value: 81.5 }, "fail"],
    [{ metric: "/coverage/lines", op: "<", value: 82 }, "pass"],
    [{ metric: "coverage.lines", op: "<=", value: 81 }, "fail"],
    [{ metric: "coverage.lines", min: 80, max: 90 }, "pass"],
    [{ metric: "coverage.lines", min: 80, max: 81 }, "fail"],
    [{ metric: "tests_failed", equals: 0 }, "pass"],
    [{ metric: "built", op: "==", value: true }, "pass"],
    [{ metric: "built", op: "!=", value: true }, "fail"],
    [{ metric: "mode", equals: "auto" }, "pass"],
    [{ metric: "mode", min: 0 }, "fail"],
    [{ metric: "a.b", equals: 3 }, "pass"],
    [{ metric: "list.0.n", equals: 4 }, "pass"],
    [{ metric: "list.length", equals: 1 }, "pass"],
    [{ metric: "list.map", op: "!=", value: 1 }, "fail"],
    [{ metric: "constructor", op: "!=", value: 1 }, "fail"],
    [{ metric: "coverage.branches", min: 0 }, "fail"],
  ])("%j: %s", async (assertion, expected) => {
    const verdict = await metrics([assertion]);
    expect(classifyVerdict(verdict), verdict.evidence).toBe(expected);
  });

  it("scores the share of assertions that hold and lists those that do not", async () => {
    const verdict = await metrics([
      { metric: "mode", equals: "manual" },
      { metric: "built", equals: true },
      { metric: "nothing", min: 1 },
      { metric: "tests_failed", max: 0 },
    ]);
    expect(verdict).toMatchObject({ passed: false, score: 0.5 });
    expect(verdict.evidence).toBe('mode is "auto", expected == "manual"; there is no nothing; 2 of 4 assertions hold');
  });

  it("finds metrics in an object called values and in the default file", async () => {
    expect(classifyVerdict(await metrics([{ metric: "quality", min: 0.8 }], { path: "enveloped.json" }))).toBe("pass");
    expect(classifyVerdict(await metrics([{ metric: "quality", min: 0.9 }], {}))).toBe("pass");
  });

  it.each([
    ["gone.json", "no file gone.json"],
    ["folder.json", "no file folder.json"],
    ["outside.json", "no file outside.json"],
    ["broken.json", "broken.json is not JSON"],
    ["empty.json", "empty.json is not JSON: it is empty"],
  ])("fails if the metrics are in %s", async (path, words) => {
    const verdict = await metrics([{ metric: "a", min: 0 }], { path });
    expect(classifyVerdict(verdict)).toBe("fail");
    expect(verdict.evidence).toContain(words);
  });

  it("finds metrics in the answer", async () => {
    const config = { output: true, assertions: [{ metric: "quality", min: 0.8 }] };
    const said = (response: string) => runBuiltInGrader("custom-metrics", config, { output: { response } });
    expect(classifyVerdict(await said('Here you are:\n```json\n{ "quality": 0.9 }\n```'))).toBe("pass");
    expect(classifyVerdict(await said("none"))).toBe("fail");
  });

  it.each([
    [{}, "assertions is missing"],
    [{ assertions: [] }, "assertions must not be empty"],
    [{ assertions: [{ metric: "a", op: ">=" }] }, "needs op and value together"],
    [{ assertions: [{ metric: "a", op: "~", value: 1 }] }, "op must be one of >="],
    [{ assertions: [{ metric: "a", op: ">", value: "1" }] }, "needs a number as its value for >"],
    [{ assertions: [{ metric: "a", min: 2, max: 1 }] }, "a min above its max"],
    [{ assertions: [{ metric: "a", minn: 2 }] }, 'unknown key "minn". Did you mean "min"?'],
    [{ path: "a", output: true, assertions: [{ metric: "a", min: 1 }] }, "has both path and output"],
    [{ path: "/a", assertions: [{ metric: "a", min: 1 }] }, "path must be relative"],
  ])("rejects %j", (config, words) => {
    expect(findConfigProblem("custom-metrics", config)).toContain(words);
  });
});

describe("findMetric", () => {
  it("finds any key by a JSON pointer", () => {
    const escaped = (key: string) => key.replaceAll("~", "~0").replaceAll("/", "~1");
    const key = fc.string().filter((text) => text !== "__proto__");
    fc.assert(
      fc.property(fc.array(key, { minLength: 1, maxLength: 4 }), fc.integer(), (keys, value) => {
        const document = keys.reduceRight<unknown>((inner, each) => ({ [each]: inner }), value);
        expect(findMetric(document, keys.map((each) => `/${escaped(each)}`).join(""))).toBe(value);
      }),
    );
  });
});

describe("json-schema", () => {
  const schema = { type: "object", required: ["mode"], properties: { mode: { enum: ["auto"] } } };

  it.each([
    [{ path: "metrics.json", schema }, "pass"],
    [{ path: "metrics.json", schema: JSON.stringify(schema) }, "pass"],
    [{ path: "enveloped.json", schema }, "fail"],
    [{ path: "enveloped.json", schema: true }, "pass"],
    [{ path: "gone.json", schema: true }, "fail"],
    [{ path: "broken.json", schema: true }, "fail"],
    [{ path: "metrics.json", schema: { type: "wrong" } }, "error"],
  ])("%j: %s", async (config, expected) => {
    const verdict = await runBuiltInGrader("json-schema", config, { workspace });
    expect(classifyVerdict(verdict), verdict.evidence).toBe(expected);
    expect(verdict.evidence).not.toContain("response");
  });

  it("reads JSON surrounded by prose in the answer", async () => {
    const said = (response: string) =>
      runBuiltInGrader("json-schema", { output: true, schema }, { output: { response } });
    expect(classifyVerdict(await said('Sure! {"mode": "auto"} Anything else?'))).toBe("pass");
    const failed = await said('{"mode": "manual"}');
    expect(classifyVerdict(failed)).toBe("fail");
    expect(failed.evidence).toContain("/mode must be equal to one of the allowed values");
    expect(classifyVerdict(await said("no"))).toBe("fail");
  });

  it("stops a pattern that backtracks forever", async () => {
    const endless = { type: "string", pattern: "^(a+)+$" };
    writeFileSync(join(workspace, "text.json"), JSON.stringify(`${"a".repeat(40)}b`));
    const verdict = await runBuiltInGrader("json-schema", { path: "text.json", schema: endless }, { workspace });
    expect(classifyVerdict(verdict), verdict.evidence).toBe("error");
  });

  it("reports an invalid schema before anything runs", async () => {
    const made = (given: unknown) => graderFactories["json-schema"]?.({ output: true, schema: given });
    await expect(made({ type: "wrong" })?.prepare?.()).rejects.toThrow(
      "json-schema grader cannot be used: schema is invalid",
    );
    await expect(made(schema)?.prepare?.()).resolves.toBeUndefined();
  });

  it.each([
    [{ schema: true }, "does not say what to check"],
    [{ output: true }, "schema is missing"],
    [{ output: true, schema: [] }, "schema must be a JSON Schema"],
    [{ output: true, schema: "{" }, "schema must be a JSON Schema"],
    [{ output: false, schema: true }, "output must be true, or left out"],
    [{ output: true, path: "a", schema: true }, "both path and output"],
  ])("rejects %j", (config, words) => {
    expect(findConfigProblem("json-schema", config)).toContain(words);
  });
});
