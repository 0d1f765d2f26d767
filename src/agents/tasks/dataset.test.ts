import { expect, it } from "vitest";
import type { LoadedExamples } from "../../core/dataset.js";
import { UsageError } from "../../core/errors.js";
import { findExampleProblem } from "../../core/example.js";
import { Registry } from "../../core/registry.js";
import { loadDataset } from "../../datasets/load-dataset.js";
import { agentTasks } from "./dataset.js";

function registryWithTasks(): Registry {
  const registry = new Registry();
  registry.register("dataset", "agent-tasks", agentTasks);
  registry.register("evaluator", "graders", { name: "graders", score: () => ({ verdict: 1 }) });
  return registry;
}

it("has eight examples, each with a folder and graders", async () => {
  const dataset = await loadDataset("agent-tasks", { registry: registryWithTasks() });
  expect(dataset.examples).toHaveLength(8);
  expect(dataset.evaluators?.map(({ name }) => name)).toEqual(["graders"]);
  expect(dataset.facets).toEqual(["kind"]);
  for (const example of dataset.examples) {
    expect(findExampleProblem(example)).toBeNull();
    expect(Object.keys(example).sort()).toEqual(
      ["dataset", "difficulty", "environment", "graders", "id", "kind", "question"].sort(),
    );
  }
});

it("is always the same plain data", async () => {
  const [first, second] = await Promise.all([agentTasks.load({}), agentTasks.load({})]);
  expect(second).toEqual(first);
  expect(JSON.parse(JSON.stringify(first))).toEqual(first);
});

it("can be filtered and limited", async () => {
  const registry = registryWithTasks();
  const fixes = await loadDataset("agent-tasks", { registry, filter: { kind: "fix" } });
  expect(fixes.examples.map(({ id }) => id)).toEqual(["off-by-one", "failing-test"]);
  const three = await loadDataset("agent-tasks", { registry, maxExamples: 3, head: true });
  expect(three.examples.map(({ id }) => id)).toEqual(["off-by-one", "failing-test", "add-flag"]);
});

it("rejects unsupported options", () => {
  expect(() => agentTasks.load({ config: "hard" })).toThrow(UsageError);
  expect(() => agentTasks.load({ map: { question: "prompt" } })).toThrow("no columns");
});

it("does not reveal the solutions", async () => {
  const { examples } = (await agentTasks.load({})) as LoadedExamples;
  expect(JSON.stringify(examples)).not.toContain("<<'EOF'");
});
