import "./builtins.js";
import { describe, expect, it } from "vitest";
import { registry } from "./core/registry.js";
import { compressorFactories } from "./systems/compressors/index.js";

describe("what comes with the package", () => {
  it("has every compressor by its name", async () => {
    expect(registry.list("system").sort()).toEqual(Object.keys(compressorFactories).sort());
    const truncate = registry.get("system", "truncate");
    expect(truncate).toBeTypeOf("function");
    if (typeof truncate === "function") expect((await truncate("0.5:tail")).name).toBe("truncate:0.5:tail");
  });

  it("has needles, judged by contains", async () => {
    const { primaryField, evaluators, load } = registry.get("dataset", "needle");
    expect(primaryField).toBe("contains");
    expect(evaluators?.map((one) => (typeof one === "string" ? one : one.name))).toEqual(["answer_quality"]);
    expect(await load({ maxExamples: 2 })).toMatchObject({ examples: [{ dataset: "needle" }, { dataset: "needle" }] });
  });
});
