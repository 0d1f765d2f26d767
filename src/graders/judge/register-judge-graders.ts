import type { GraderFactory } from "../../core/index.js";
import { DEFAULT_RETRY, registry as defaultRegistry, type Registry, type RetryPolicy } from "../../core/index.js";
import type { Traffic } from "../../models/index.js";
import { makeBuiltInGrader } from "../built-in-grader.js";
import type { PaidGrader } from "../grader-lifecycle.js";
import type { ModelFinder, ModelPool } from "./model-pool.js";
import { GRADER_PROMPT_VERSION } from "./prompt.js";
import { type JudgeGraderSettings, readPanelSettings, readPromptSettings, type WorkJudge } from "./work-judge.js";

/** Where to find the models of graders that ask a model. */
export interface JudgeModelPlace {
  /** File with models, prices and addresses. Default: models.yml in the working directory. */
  modelsFile?: string;
  /** Base URL to use instead of the provider's. */
  url?: string;
  /** Environment variable with the API key. */
  apiKeyEnv?: string;
  allowInsecure?: boolean;
  /** Records their calls, or answers them from a recording. */
  traffic?: Traffic;
}

/** Without an answer from its judge, a trial has no verdict; a run must not wait forever for one. */
const TIMEOUT_MS = 120_000;
const MAX_RETRIES = 2;

/**
 * Registers the graders that ask models, `prompt` and `panel`, replacing earlier ones.
 * @example
 * registerJudgeGraders({ url: "http://127.0.0.1:8080" });
 */
export function registerJudgeGraders(place: JudgeModelPlace = {}, registry: Registry = defaultRegistry): void {
  const factories = createJudgeGraderFactories(
    async (name) => {
      const { openJudgeModel } = await import("./open-judge-model.js");
      return { ...(await openJudgeModel({ name, ...place })), timeoutMs: TIMEOUT_MS };
    },
    { retry: { maxRetries: MAX_RETRIES } },
  );
  for (const [name, factory] of Object.entries(factories))
    registry.register("grader", name, factory, { replace: true });
}

export interface JudgeGraderOptions {
  /** Maximum number of concurrent calls per model. Default: 8. */
  maxWorkers?: number;
  retry?: Partial<RetryPolicy>;
  /** Returns a number in [0, 1), for jitter. */
  random?: () => number;
}

/** A factory with a fingerprint that, besides the config, identifies its graders. */
export type JudgeGraderFactory = GraderFactory & { fingerprint(): unknown };

/**
 * Creates the graders that ask models, `prompt` and `panel`. `open` finds a model by its name; it is called once per name,
 * and all graders of a model share its connections and its concurrency limit.
 * @example
 * const factories = createJudgeGraderFactories((name) => openJudgeModel({ name }));
 * registry.register("grader", "prompt", factories.prompt);
 * registry.register("grader", "panel", factories.panel);
 */
export function createJudgeGraderFactories(
  open: ModelFinder,
  options: JudgeGraderOptions = {},
): { readonly prompt: JudgeGraderFactory; readonly panel: JudgeGraderFactory } {
  const pool = new Lazy(() => makeModelPool(open, options));
  return {
    prompt: addFingerprint((config) => makeJudgeGrader(readPromptSettings(config), pool)),
    panel: addFingerprint((config) => makeJudgeGrader(readPanelSettings(config), pool)),
  };
}

function addFingerprint(factory: GraderFactory): JudgeGraderFactory {
  return Object.assign(factory, { fingerprint: () => ({ version: 1, prompt: GRADER_PROMPT_VERSION }) });
}

/** Loaded lazily: reading a grader's config needs nothing that calls models. */
async function makeModelPool(open: ModelFinder, options: JudgeGraderOptions): Promise<ModelPool> {
  const { ModelPool: Pool } = await import("./model-pool.js");
  const { maxWorkers = 8, retry, random = Math.random } = options;
  return new Pool(open, { maxWorkers, retry: { ...DEFAULT_RETRY, ...retry }, random });
}

function makeJudgeGrader(settings: JudgeGraderSettings, pool: Lazy<ModelPool>): PaidGrader {
  const judge = new Lazy(async () => makeWorkJudge(settings, await pool.get()));
  return {
    ...makeBuiltInGrader({
      name: settings.type,
      kind: "llm",
      folderUse: chooseFolderUse(settings),
      seesWorkspaceOnly: false,
      grade: async (graded) => (await judge.get()).grade(graded),
    }),
    prepare: async () => (await judge.get()).prepare(),
    close: async () => judge.made?.close(),
    findPrice: async () => (await judge.get()).findPrice(),
    estimate: (example, forecast) => judge.made?.estimate(example, forecast) ?? { low: null, high: null },
  };
}

async function makeWorkJudge(settings: JudgeGraderSettings, pool: ModelPool): Promise<WorkJudge> {
  const { WorkJudge: Judge } = await import("./work-judge.js");
  return new Judge(settings, pool);
}

function chooseFolderUse({ evidence }: JudgeGraderSettings): "none" | "diff" | "looks" {
  if (evidence?.includes("workspace") === true) return "looks";
  return evidence === null || evidence.includes("diff") ? "diff" : "none";
}

/** A value that is created on first use. */
class Lazy<T> {
  /** Null until it is created. */
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
