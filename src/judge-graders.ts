import { registry as defaultRegistry, type Registry } from "./core/registry.js";
import { judgeGraderFactories } from "./judge/judge-graders.js";

/** Where the models of graders that ask one are found. */
export interface JudgeModelPlace {
  /** Models with prices and addresses; models.yml of the working folder unless told. */
  modelsFile?: string;
  /** Whatever answers for them, in place of their provider. */
  url?: string;
  /** The name of the variable that holds the key. */
  apiKeyEnv?: string;
  allowInsecure?: boolean;
}

/**
 * Names the graders that ask models, `prompt` and `panel`, in place of those that were named before.
 * @example
 * registerJudgeGraders({ url: "http://127.0.0.1:8080" });
 */
export function registerJudgeGraders(place: JudgeModelPlace = {}, registry: Registry = defaultRegistry): void {
  const factories = judgeGraderFactories(async (name) => {
    const { openJudgeModel } = await import("./open-judge-model.js");
    return openJudgeModel({ name, ...place });
  });
  for (const [name, factory] of Object.entries(factories))
    registry.register("grader", name, factory, { replace: true });
}
