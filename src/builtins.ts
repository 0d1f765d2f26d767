import type { System } from "./core/index.js";
import { registry, UsageError } from "./core/index.js";
import { createCatalogDefinitions, harbor, needle } from "./datasets/index.js";
import { evaluatorFactories } from "./evaluators/index.js";
import { listNamedMetrics } from "./metrics/index.js";
import { loadTokenizer, TOKENIZER_NAMES } from "./models/index.js";
import {
  evalReporter,
  htmlReporter,
  jsonReporter,
  junitReporter,
  markdownReporter,
  summaryReporter,
  tableReporter,
} from "./report/index.js";

const COMPRESSOR_NAMES = ["passthrough", "truncate", "extract", "window", "dedupe", "stopwords"];

// Registers everything that comes with the package. Imported for its side effect.
registry.register("dataset", "needle", needle);
registry.register("dataset", "harbor", harbor);
registry.register("dataset", "agent-tasks", {
  description: "Eight tiny coding tasks for agents, each in a folder with tests.",
  evaluators: ["graders"],
  load: async (options) => (await import("./agents/tasks/index.js")).agentTasks.load(options),
});
for (const [name, definition] of createCatalogDefinitions()) registry.register("dataset", name, definition);
for (const name of COMPRESSOR_NAMES) registry.register("system", name, (argument) => loadCompressor(name, argument));
for (const [name, factory] of Object.entries(evaluatorFactories)) registry.register("evaluator", name, factory);
registry.register("evaluator", "graders", async () => {
  // Loads the graders' dependencies on first use; most runs have none.
  if (!registry.has("grader", "prompt"))
    (await import("./graders/judge/register-judge-graders.js")).registerJudgeGraders();
  return new (await import("./graders/index.js")).GraderEvaluator();
});
registry.register("evaluator", "llm_judge", () => {
  throw new UsageError("llm_judge needs a judge model. Set --judge-model, or pass an LLMJudge.");
});
for (const name of TOKENIZER_NAMES) registry.register("tokenizer", name, () => loadTokenizer(name));
for (const metric of listNamedMetrics()) registry.register("metric", metric.name, () => metric);
for (const reporter of [
  tableReporter,
  summaryReporter,
  jsonReporter,
  evalReporter,
  markdownReporter,
  junitReporter,
  htmlReporter,
])
  registry.register("reporter", reporter.name, reporter);

/** Loaded on demand to keep start-up fast. */
async function loadCompressor(name: string, argument: string | undefined): Promise<System> {
  const make = (await import("./systems/compressors/index.js")).compressorFactories[name];
  if (make === undefined) throw new UsageError(`Unknown compressor "${name}".`);
  return make(argument);
}
