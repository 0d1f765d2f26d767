import { describe, expect, it } from "vitest";
import { getFolderUse } from "./built-in-grader.js";
import { EVERY_GRADER } from "./every-grader-testing.js";
import { findGraderInput, graderFacts } from "./facts.js";
import { graderFactories } from "./index.js";

/** Built in, but registered separately. */
const JUDGES = ["prompt", "panel"];

describe("graderFacts", () => {
  it("covers every built-in type and no other", () => {
    const types = new Set([...Object.keys(graderFactories), ...JUDGES]);
    expect(Object.keys(graderFacts).sort()).toEqual([...types].sort());
  });

  it.each(Object.entries(EVERY_GRADER))("matches how %s uses the folder", (type, { passes }) => {
    const grader = graderFactories[type]?.(passes.config);
    if (grader === undefined) return expect.unreachable();
    const uses = { workspace: ["looks", "runs"], diff: ["diff"], composed: ["none"] } as Record<string, string[]>;
    expect(uses[findGraderInput({ type, config: passes.config }) ?? ""] ?? ["none"]).toContain(getFolderUse(grader));
  });

  it.each([
    [{ type: "json-schema", config: { path: "a.json", schema: {} } }, "workspace"],
    [{ type: "json-schema", config: { output: true, schema: {} } }, "output"],
    [{ type: "custom-metrics", config: { output: true, assertions: [] } }, "output"],
    [{ type: "custom-metrics" }, "workspace"],
    [{ type: "constructor" }, null],
  ])("finds the input of %j: %s", (spec, expected) => {
    expect(findGraderInput(spec)).toBe(expected);
  });
});
