import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Registry } from "../core/registry.js";
import { loadDataset } from "./load-dataset.js";
import { loadFiles } from "./load-file.js";

const examples = Array.from({ length: 20 }, (_, id) => ({ id, question: `Q${id}`, answer: "A", k: id % 2 }));

describe("loadDataset", () => {
  it.each([
    ["an array", () => examples],
    ["an object with examples", () => ({ examples, facets: ["k"] })],
  ])("limits a plugin's dataset to the requested sample, given as %s", async (_, load) => {
    const registry = new Registry();
    registry.register("dataset", "mine", { load });
    const few = await loadDataset("mine", { registry, maxExamples: 3 });
    expect(few.examples).toHaveLength(3);
    expect(few.examples.every(({ dataset }) => dataset === "mine")).toBe(true);
    expect((await loadDataset("mine", { registry, filter: { k: "1" } })).examples).toHaveLength(10);
  });

  it("creates evaluators from the names of a dataset, except for a judge, which the run adds", async () => {
    const registry = new Registry();
    registry.register("evaluator", "brief", (argument) => ({ name: `brief:${argument}`, score: () => ({ brief: 1 }) }));
    registry.register("dataset", "mine", { load: () => examples, evaluators: ["brief:80", "llm_judge"] });
    const { evaluators } = await loadDataset("mine", { registry });
    expect(evaluators?.map(({ name }) => name)).toEqual(["brief:80"]);
  });
});

describe("loadFiles", () => {
  it("has another fingerprint if its sample is stratified differently", async () => {
    const folder = mkdtempSync(join(tmpdir(), "assay-files-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "a.jsonl");
    writeFileSync(path, examples.map((example) => JSON.stringify(example)).join("\n"));
    const plain = await loadFiles([path], { name: "a", maxExamples: 6 });
    const stratified = await loadFiles([path], { name: "a", maxExamples: 6, subject: "k" });
    expect(plain.fingerprint?.sha256).not.toBe(stratified.fingerprint?.sha256);
  });
});
