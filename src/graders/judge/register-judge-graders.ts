import { registry as defaultRegistry, type Registry } from "../../core/registry.js";
import { judgeGraderFactories } from "./judge-graders.js";

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

/** A judge that says nothing leaves its trial without a verdict: a run must not wait for it for ever. */
const PATIENCE_MS = 120_000;
const RETRIES = 2;

/**
 * Names the graders that ask models, `prompt` and `panel`, in place of those that were named before.
 * @example
 * registerJudgeGraders({ url: "http://127.0.0.1:8080" });
 */
export function registerJudgeGraders(place: JudgeModelPlace = {}, registry: Registry = defaultRegistry): void {
  const factories = judgeGraderFactories(
    async (name) => {
      const { openJudgeModel } = await import("./open-judge-model.js");
      return { ...(await openJudgeModel({ name, ...place })), timeoutMs: PATIENCE_MS };
    },
    { retry: { maxRetries: RETRIES } },
  );
  for (const [name, factory] of Object.entries(factories))
    registry.register("grader", name, factory, { replace: true });
}
