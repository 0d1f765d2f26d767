import { describe, expect, it } from "vitest";
import type { RunConfig } from "./run-config.js";
import { runConfigSchema } from "./run-config-schema.js";

describe("config schema", () => {
  it("accepts objects, and keys that a module sets to undefined", () => {
    const system = { name: "echo", process: () => ({ response: "" }) };
    expect(runConfigSchema.safeParse({ systems: ["dedupe", system], title: undefined }).success).toBe(true);
  });

  it.each([[["pass_rate", "./mine.mjs"]], [{ only: ["pass_rate"] }]])("accepts the metrics %j", (metrics) => {
    expect(runConfigSchema.safeParse({ metrics }).success).toBe(true);
  });

  it.each([
    { systems: [3] },
    { title: null },
    { judge: { models: [] } },
    { namedDatasets: { faq: {} } },
    { models: [{ maxTokens: 0.5 }] },
    { metrics: "pass_rate" },
    { metrics: { only: [] } },
    { metrics: { only: ["pass_rate"], also: [] } },
  ])("rejects %j", (config) => {
    expect(runConfigSchema.safeParse(config).success).toBe(false);
  });

  it("is the type of a config, so that each key is declared once", () => {
    const config: RunConfig = { trials: 3, onOutage: "wait", judge: { models: ["openai/gpt-5"], scale: "1-5" } };
    // @ts-expect-error A key that is not declared.
    const unknown: RunConfig = { trails: 3 };
    // @ts-expect-error A value of another type.
    const wrong: RunConfig = { trials: "3" };
    expect([config, unknown, wrong].map((each) => runConfigSchema.safeParse(each).success)).toEqual([
      true,
      false,
      false,
    ]);
  });
});
