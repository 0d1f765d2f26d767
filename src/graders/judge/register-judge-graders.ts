import type { GraderFactory } from "../../core/grader.js";
import { registry as defaultRegistry, type Registry } from "../../core/registry.js";
import { DEFAULT_RETRY, type RetryPolicy } from "../../core/retry.js";
import type { PaidGrader } from "../grader-care.js";
import { ownGrader } from "../own-grader.js";
import { GRADER_PROMPT_VERSION } from "./grader-prompt.js";
import type { FindModel, ModelPool } from "./model-pool.js";
import { type GraderSettings, panelSettings, promptSettings, type WorkJudge } from "./work-judge.js";

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

export interface JudgeGraderOptions {
  /** Calls of one model at a time; 8 unless told. */
  maxWorkers?: number;
  retry?: Partial<RetryPolicy>;
  /** In [0, 1), for the spread of the waits. */
  random?: () => number;
}

/** A factory that says what identifies the graders it makes, besides their config. */
export type JudgeGraderFactory = GraderFactory & { fingerprint(): unknown };

/**
 * The graders that ask models, `prompt` and `panel`. `open` finds the model that a name stands for: it is called once for
 * each name, and all graders of a model share its connections and its limit on calls at a time.
 * @example
 * const factories = judgeGraderFactories((name) => openJudgeModel({ name }));
 * registry.register("grader", "prompt", factories.prompt);
 * registry.register("grader", "panel", factories.panel);
 */
export function judgeGraderFactories(
  open: FindModel,
  options: JudgeGraderOptions = {},
): { readonly prompt: JudgeGraderFactory; readonly panel: JudgeGraderFactory } {
  const pool = new Later(() => makePool(open, options));
  return {
    prompt: identified((config) => judgeGrader(promptSettings(config), pool)),
    panel: identified((config) => judgeGrader(panelSettings(config), pool)),
  };
}

function identified(factory: GraderFactory): JudgeGraderFactory {
  return Object.assign(factory, { fingerprint: () => ({ version: 1, prompt: GRADER_PROMPT_VERSION }) });
}

/** Whoever only reads the config of a grader need not load all that calls models. */
async function makePool(open: FindModel, options: JudgeGraderOptions): Promise<ModelPool> {
  const { ModelPool: Pool } = await import("./model-pool.js");
  const { maxWorkers = 8, retry, random = Math.random } = options;
  return new Pool(open, { maxWorkers, retry: { ...DEFAULT_RETRY, ...retry }, random });
}

function judgeGrader(settings: GraderSettings, pool: Later<ModelPool>): PaidGrader {
  const judge = new Later(async () => makeJudge(settings, await pool.get()));
  return {
    ...ownGrader({
      name: settings.type,
      kind: "llm",
      folderUse: folderUseOf(settings),
      seesWorkspaceOnly: false,
      grade: async (graded) => (await judge.get()).grade(graded),
    }),
    prepare: async () => (await judge.get()).prepare(),
    close: async () => judge.made?.close(),
    findPrice: async () => (await judge.get()).findPrice(),
    estimate: (example, forecast) => judge.made?.estimate(example, forecast) ?? { low: null, high: null },
  };
}

async function makeJudge(settings: GraderSettings, pool: ModelPool): Promise<WorkJudge> {
  const { WorkJudge: Judge } = await import("./work-judge.js");
  return new Judge(settings, pool);
}

function folderUseOf({ evidence }: GraderSettings): "none" | "diff" | "looks" {
  if (evidence?.includes("workspace") === true) return "looks";
  return evidence === null || evidence.includes("diff") ? "diff" : "none";
}

/** Something that is made when it is first asked for. */
class Later<T> {
  /** Null until it is made. */
  made: T | null = null;
  readonly #make: () => Promise<T>;
  #making: Promise<T> | null = null;

  constructor(make: () => Promise<T>) {
    this.#make = make;
  }

  get(): Promise<T> {
    this.#making ??= this.#make().then((made) => {
      this.made = made;
      return made;
    });
    return this.#making;
  }
}
