import type { Evaluator } from "../core/evaluator.js";
import type { Permissions, Registry } from "../core/registry.js";

/** Creates the evaluator of a name, with what follows its colon as the argument. */
export async function createEvaluatorByName(
  registry: Registry,
  name: string,
  permissions: Permissions | undefined,
): Promise<Evaluator> {
  const [base = name, argument] = name.split(/:(.*)/s);
  const value = registry.get("evaluator", base);
  return typeof value === "function" ? value(argument, permissions) : value;
}
