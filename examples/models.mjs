// Compares the cost per correct answer of two models behind a simulated endpoint.
import { fileURLToPath } from "node:url";
import { evaluate, loadDataset, ModelSystem } from "assay";
import { loadModels } from "assay/models";
import { startMock } from "assay/testing";

const beside = (name) => fileURLToPath(new URL(name, import.meta.url));
const { models } = await loadModels(beside("models.yml"));
const mock = await startMock({
  answers: beside("questions.jsonl"),
  faults: [{ kind: 429, rate: 0.05, retryAfter: 0.1 }],
  models: { small: { successRate: 0.6 }, "acme/large-2": { successRate: 0.95, outputTokens: 60 } },
});

const systems = ["small", "large"].map((name) => {
  const { apiName, limits } = models.get(name);
  return new ModelSystem({ name, model: apiName, baseUrl: mock.url, limits });
});

try {
  const result = await evaluate({
    systems,
    dataset: await loadDataset(beside("questions.jsonl")),
    scoreField: "contains",
    trials: 3,
    budget: { run: { maxCostUsd: 5 } },
  });
  console.log(result.toTable({ columns: ["quality", "cost", "speed"] }));
} finally {
  for (const system of systems) await system.close();
  await mock.close();
}
