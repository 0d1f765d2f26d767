import { isDeepStrictEqual } from "node:util";
import { modelsJsonSchema } from "../budget/model-schema.js";
import { experimentJsonSchema } from "../evals/experiment/load-experiment.js";
import { evalsSchema } from "../evals/spec/evals-schema.js";
import { evalJsonSchema } from "../evals/spec/json-schema.js";
import { mockJsonSchema } from "../testing/mock/check-script.js";
import { JSON_SCHEMA_DRAFT, type JsonSchema, toJsonSchema } from "../utils/json-schema.js";
import { runConfigSchema } from "./run-config-schema.js";

/** JSON Schemas by file name in schemas/; scripts/schemas.mjs writes them. */
export function jsonSchemas(): Readonly<Record<string, JsonSchema>> {
  return {
    "config.schema.json": configJsonSchema(),
    "eval.schema.json": evalJsonSchema(),
    "experiment.schema.json": experimentJsonSchema(),
    "mock.schema.json": mockJsonSchema(),
    "models.schema.json": modelsJsonSchema(),
  };
}

/** In YAML, systems, datasets and so on are strings; only a module can contain objects. */
function configJsonSchema(): JsonSchema {
  const schema = runConfigSchema.extend({ evals: evalsSchema.optional() });
  return {
    $schema: JSON_SCHEMA_DRAFT,
    title: "Assay configuration",
    description: "What a run measures, on which data, and how. Flags override it.",
    ...toJsonSchema(schema, (_, json) => {
      if (Array.isArray(json.anyOf)) json.anyOf = json.anyOf.filter((option) => !isDeepStrictEqual(option, {}));
    }),
  };
}
