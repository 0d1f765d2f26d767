import * as z from "zod";
import { didYouMean } from "../core/suggest.js";
import type { KeyPath } from "../utils/files/yaml-tree.js";
import type { Pricing } from "./price.js";
import type { Budgets } from "./resolve.js";
import { BUDGET_RULES, MODEL_RULES, PRICING_RULES, type Rule } from "./rules.js";

/** A model as written in the file, checked. */
export type RawModel = { [key in keyof typeof MODEL_RULES]?: string } & { pricing?: Pricing; budgets?: Budgets };

/** Something wrong inside a model. */
interface ModelProblem {
  readonly path: KeyPath;
  /** True when the key itself is wrong that the path ends with. */
  readonly isUnknownKey: boolean;
  readonly text: string;
}

/** Looks for everything that is wrong with a model. */
export type ModelCheck = (value: unknown) => ModelProblem[];

const SECTIONS: Readonly<Record<string, readonly string[]>> = {
  "": [...Object.keys(MODEL_RULES), "pricing", "budgets"],
  pricing: Object.keys(PRICING_RULES),
  budgets: Object.keys(BUDGET_RULES),
};

/** Makes the check of models. Strict: a key that is not known would otherwise be a setting silently ignored. */
export function modelCheck(): ModelCheck {
  const schema = modelSchema();
  return (value) =>
    (schema.safeParse(value).error?.issues ?? []).flatMap((issue) => {
      const path = issue.path.map((key) => (typeof key === "number" ? key : String(key)));
      if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(path, key));
      return [{ path, isUnknownKey: false, text: `${path.join(".")} ${issue.message}.`.trim() }];
    });
}

function unknownKey(path: KeyPath, key: string): ModelProblem {
  const text = `unknown key "${key}".${didYouMean(key, SECTIONS[path.join(".")] ?? [])}`;
  return { path: [...path, key], isUnknownKey: true, text };
}

function modelSchema() {
  const kept = (rule: Rule) =>
    z.custom<unknown>((value) => rule(value) === null, { error: ({ input }) => rule(input) ?? "is wrong" });
  const section = { error: ({ input }: { input?: unknown }) => mappingProblem(input, "remove the line") };
  const model = { error: ({ input }: { input?: unknown }) => mappingProblem(input, "{} for the defaults") };
  const optional = (rules: Readonly<Record<string, Rule>>) =>
    Object.fromEntries(Object.entries(rules).map(([key, rule]) => [key, kept(rule).optional()]));
  const { input_per_1k, output_per_1k, ...cachePrices } = PRICING_RULES;
  const pricing = { input_per_1k: kept(input_per_1k), output_per_1k: kept(output_per_1k), ...optional(cachePrices) };
  return z.strictObject(
    {
      ...optional(MODEL_RULES),
      pricing: z.strictObject(pricing, section).optional(),
      budgets: z.strictObject(optional(BUDGET_RULES), section).optional(),
    },
    model,
  );
}

function mappingProblem(value: unknown, instead: string): string {
  return value === null
    ? `has no value: give it settings, or ${instead}`
    : "must be a mapping of settings, each on a line of its own";
}
