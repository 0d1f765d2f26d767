import { registry } from "./core/registry.js";
import { needle } from "./datasets/index.js";
import { AnswerQuality } from "./evaluators/index.js";
import { namedMetrics } from "./metrics/index.js";
import { jsonReporter } from "./report/json.js";
import { tableReporter } from "./report/table.js";
import { compressorFactories } from "./systems/compressors/index.js";

// Names everything that comes with the package. Imported for its effect, which a module has once however often it is asked for.
registry.register("dataset", "needle", needle);
for (const [name, factory] of Object.entries(compressorFactories)) registry.register("system", name, factory);
registry.register("evaluator", "answer_quality", () => new AnswerQuality());
for (const metric of namedMetrics()) registry.register("metric", metric.name, () => metric);
registry.register("reporter", tableReporter.name, tableReporter);
registry.register("reporter", jsonReporter.name, jsonReporter);
