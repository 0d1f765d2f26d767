import { catalogueDefinitions } from "./catalogue/definitions.js";
import { UsageError } from "./core/errors.js";
import { registry } from "./core/registry.js";
import { needle } from "./datasets/index.js";
import { evaluatorFactories } from "./evaluators/factories.js";
import { namedMetrics } from "./metrics/index.js";
import { markdownReporter } from "./report/eval/eval-markdown.js";
import { evalReporter } from "./report/eval/eval-text.js";
import { junitReporter } from "./report/eval/junit.js";
import { jsonReporter } from "./report/json.js";
import { tableReporter } from "./report/table.js";
import { compressorFactories } from "./systems/compressors/index.js";
import { htmlReporter } from "./views/html-report.js";

// Names everything that comes with the package. Imported for its effect, which a module has once however often it is asked for.
registry.register("dataset", "needle", needle);
registry.register("dataset", "agent-tasks", {
  description: "Eight tiny coding tasks for agents, each in a folder with tests.",
  evaluators: ["graders"],
  load: async (options) => (await import("./agents/tasks/index.js")).agentTasks.load(options),
});
for (const [name, definition] of catalogueDefinitions()) registry.register("dataset", name, definition);
for (const [name, factory] of Object.entries(compressorFactories)) registry.register("system", name, factory);
for (const [name, factory] of Object.entries(evaluatorFactories)) registry.register("evaluator", name, factory);
registry.register("evaluator", "graders", async () => {
  // What graders need is loaded with the first of them: most runs have none.
  if (!registry.has("grader", "prompt")) (await import("./judge-graders.js")).registerJudgeGraders();
  return new (await import("./graders/index.js")).GraderEvaluator();
});
registry.register("evaluator", "llm_judge", () => {
  throw new UsageError("llm_judge needs a model that judges: name one with --judge-model, or give an LLMJudge.");
});
for (const metric of namedMetrics()) registry.register("metric", metric.name, () => metric);
for (const reporter of [tableReporter, jsonReporter, evalReporter, markdownReporter, junitReporter, htmlReporter])
  registry.register("reporter", reporter.name, reporter);
