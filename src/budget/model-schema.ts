import * as z from "zod";
import { didYouMean, type Effort, SERVICE_TIERS, type ServiceTier } from "../core/index.js";
import type { KeyPath } from "../utils/index.js";
import { JSON_SCHEMA_DRAFT, type JsonSchema, toJsonSchema } from "../utils/index.js";
import type { Pricing } from "./price.js";
import type { Budgets } from "./resolve.js";
import { BUDGET_RULES, MODEL_RULES, PRICING_RULES, RULE_SCHEMAS, type ValueRule } from "./rules.js";

/** A checked model as written in the file. */
export type RawModel = { [key in Exclude<keyof typeof MODEL_RULES, "effort">]?: string } & {
  effort?: Effort;
  pricing?: Pricing;
  budgets?: Budgets;
};

interface ModelProblem {
  readonly path: KeyPath;
  /** True when the last key of the path is the problem. */
  readonly isUnknownKey: boolean;
  readonly text: string;
}

/** Finds all problems of a model. */
export type ModelCheck = (value: unknown) => ModelProblem[];

const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  "": [...Object.keys(MODEL_RULES), "pricing", "budgets"],
  pricing: [...Object.keys(PRICING_RULES), ...SERVICE_TIERS],
  ...Object.fromEntries(SERVICE_TIERS.map((service) => [`pricing.${service}`, Object.keys(PRICING_RULES)])),
  budgets: Object.keys(BUDGET_RULES),
};

/** Strict, because an unknown key would otherwise be silently ignored. */
export function createModelCheck(): ModelCheck {
  const schema = buildModelSchema();
  return (value) =>
    (schema.safeParse(value).error?.issues ?? []).flatMap((issue) => {
      const path = issue.path.map((key) => (typeof key === "number" ? key : String(key)));
      if (issue.code === "unrecognized_keys") return issue.keys.map((key) => describeUnknownModelKey(path, key));
      return [{ path, isUnknownKey: false, text: `${path.join(".")} ${issue.message}.`.trim() }];
    });
}

function describeUnknownModelKey(path: KeyPath, key: string): ModelProblem {
  const text = `unknown key "${key}".${didYouMean(key, SECTIONS[path.join(".")] ?? [])}`;
  return { path: [...path, key], isUnknownKey: true, text };
}

/**
 * Builds the JSON Schema of models files for editors: models below `models:`, or a file that contains only models.
 * @example
 * const schema = modelsJsonSchema();
 */
export function buildModelsJsonSchema(): JsonSchema {
  const models = { type: "object", minProperties: 1, additionalProperties: { $ref: "#/definitions/model" } };
  const name = { pattern: "\\S" };
  const wrapped = {
    properties: {
      models: { description: "Models by name.", ...models, propertyNames: name },
      default: { description: "The model to use when none is named.", type: "string" },
    },
    required: ["models"],
    additionalProperties: false,
  };
  return {
    $schema: JSON_SCHEMA_DRAFT,
    title: "Assay models file",
    description: "Models by name: their endpoints, their prices and what a trial may spend.",
    type: "object",
    anyOf: [wrapped, { ...models, propertyNames: { ...name, not: { const: "models" } } }],
    definitions: { model: toJsonSchema(buildModelSchema()) },
  };
}

function buildModelSchema() {
  const kept = (rule: ValueRule) =>
    z
      .custom<unknown>((value) => rule(value) === null, { error: ({ input }) => rule(input) ?? "is wrong" })
      .meta(RULE_SCHEMAS.get(rule) ?? {});
  const section = { error: ({ input }: { input?: unknown }) => describeMappingProblem(input, "remove the line") };
  const model = { error: ({ input }: { input?: unknown }) => describeMappingProblem(input, "{} for the defaults") };
  const fields = (rules: Readonly<Record<string, ValueRule>>, required: readonly string[] = []) =>
    Object.fromEntries(
      Object.entries(rules).map(([key, rule]) => [key, required.includes(key) ? kept(rule) : kept(rule).optional()]),
    );
  const prices = fields(PRICING_RULES, ["input_per_1k", "output_per_1k"]);
  const tier = z.strictObject(prices, section).optional();
  const services: Readonly<Record<ServiceTier, typeof tier>> = {
    /** What tokens cost in batches. Default: the provider's published share of the price. */
    batch: tier,
    /** What tokens cost in the service tier flex. Default: the provider's published share of the price. */
    flex: tier,
    /** What tokens cost in the service tier priority. Default: unknown. */
    priority: tier,
  };
  return z.strictObject(
    {
      ...fields(MODEL_RULES),
      /** What tokens cost. Default: the bundled price of the model. */
      pricing: z.strictObject({ ...prices, ...services }, section).optional(),
      /** What one trial may cost, and how long it may take. */
      budgets: z.strictObject(fields(BUDGET_RULES), section).optional(),
    },
    model,
  );
}

function describeMappingProblem(value: unknown, instead: string): string {
  return value === null
    ? `has no value: give it settings, or ${instead}`
    : "must be a mapping of settings, each on a line of its own";
}
