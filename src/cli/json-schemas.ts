import { isDeepStrictEqual } from "node:util";
import { buildModelsJsonSchema } from "../budget/index.js";
import { buildEvalJsonSchema, buildExperimentJsonSchema, evalsSchema } from "../evals/index.js";
import { buildMockJsonSchema } from "../testing/mock/check-script.js";
import { JSON_SCHEMA_DRAFT, type JsonSchema, toJsonSchema } from "../utils/index.js";
import { runConfigSchema } from "./run-config-schema.js";

/** JSON Schemas by file name in schemas/; scripts/schemas.mjs writes them. */
export function jsonSchemas(): Readonly<Record<string, JsonSchema>> {
  return {
    "config.schema.json": buildConfigSchema(),
    "eval.schema.json": buildEvalJsonSchema(),
    "experiment.schema.json": buildExperimentJsonSchema(),
    "mock.schema.json": buildMockJsonSchema(),
    "models.schema.json": buildModelsJsonSchema(),
  };
}

/** In YAML, systems, datasets and so on are strings; only a module can contain objects. */
function buildConfigSchema(): JsonSchema {
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
