import { addEffortName, type Effort } from "../../core/index.js";
import type { EvalSpec } from "../spec/spec.js";

/** A variant as it is run. */
export interface VariantPlan {
  readonly name: string;
  readonly isBaseline: boolean;
  /** The systems of the variant; the terms of each dataset name those it uses. */
  readonly systems: readonly PlannedSystem[];
  readonly evals: readonly PlannedEval[];
}

/** A system that a variant needs. */
export interface PlannedSystem {
  /** The name of the variant; with several systems, followed by what distinguishes them. */
  readonly name: string;
  /** Null to use the executor of the command. */
  readonly executor: string | null;
  /** Null to use the default model of the executor. */
  readonly model: string | null;
  /** Absent for the model's own. */
  readonly effort?: Effort;
}

/** One eval of a variant. */
export interface PlannedEval {
  /** The name in all variants: the one it has in the baseline. */
  readonly name: string;
  /** The name of its dataset. */
  readonly dataset: string;
  readonly spec: EvalSpec;
  /** Names of the systems that run it. */
  readonly systems: readonly string[];
  readonly limits: EvalLimits;
}

/** Limits on the trials of an eval. */
export interface EvalLimits {
  readonly runs: number;
  readonly timeoutMs: number | null;
  readonly maxCostUsd: number | null;
}

/** Used where an eval does not name an executor or models. */
export interface SystemDefaults {
  readonly executor?: string | undefined;
  readonly models?: readonly string[] | undefined;
}

export function planVariant(
  { name, isBaseline }: Pick<VariantPlan, "name" | "isBaseline">,
  evals: readonly Pick<PlannedEval, "name" | "spec">[],
  defaults: SystemDefaults,
): VariantPlan {
  const kinds = evals.map(({ spec }) => listSystemKinds(spec, defaults));
  const all = [...new Map(kinds.flat().map((kind) => [formatSystemKey(kind), kind])).values()];
  const systems = all.map((kind) => ({
    name: all.length === 1 ? name : `${name} (${formatSystemLabel(kind)})`,
    ...kind,
  }));
  const nameOf = new Map(systems.map((system) => [formatSystemKey(system), system.name]));
  return {
    name,
    isBaseline,
    systems,
    evals: evals.map(({ name: evalName, spec }, i) => ({
      name: evalName,
      dataset: `${name}/${evalName}`,
      spec,
      systems: (kinds[i] ?? []).flatMap((kind) => nameOf.get(formatSystemKey(kind)) ?? []),
      limits: pickEvalLimits(spec),
    })),
  };
}

type SystemKind = Omit<PlannedSystem, "name">;

function listSystemKinds({ defaults }: EvalSpec, given: SystemDefaults): SystemKind[] {
  const executor = defaults.executor ?? given.executor ?? null;
  const models = defaults.models.length > 0 ? defaults.models : (given.models ?? []);
  const kinds = models.length === 0 ? [{ executor, model: null }] : models.map((model) => ({ executor, model }));
  if (defaults.efforts.length === 0) return kinds;
  return kinds.flatMap((kind) => defaults.efforts.map((effort) => ({ ...kind, effort })));
}

function formatSystemKey({ executor, model, effort }: SystemKind): string {
  return JSON.stringify([executor, model, effort]);
}

function formatSystemLabel({ executor, model, effort }: SystemKind): string {
  return addEffortName([executor, model].filter((part) => part !== null).join(":") || "default", effort);
}

function pickEvalLimits({ defaults: { runs, timeoutMs, maxCostUsd } }: EvalSpec): EvalLimits {
  return { runs, timeoutMs, maxCostUsd };
}
