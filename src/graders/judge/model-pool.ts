import type { Effort } from "../../core/index.js";
import { JudgeClient, type JudgeClientOptions } from "./judge-client.js";
import { type JudgeModelSource, type OpenModel, openModel, requireJudgeModel } from "./judge-model.js";

/** Finds a model by its name. */
export type ModelFinder = (name: string) => Promise<JudgeModelSource>;

/** The models that graders use, by name. Graders with the same model share its connections and its concurrency limit. */
export class ModelPool {
  readonly #find: ModelFinder;
  readonly #options: JudgeClientOptions;
  readonly #models = new Map<string, PooledModel>();

  constructor(find: ModelFinder, options: JudgeClientOptions) {
    this.#find = find;
    this.#options = options;
  }

  /** `effort` is how much it thinks; null for its own. */
  get(name: string, effort: Effort | null = null): PooledModel {
    const key = JSON.stringify([name, effort]);
    const find = async () => addEffort(await this.#find(name), effort);
    const model = this.#models.get(key) ?? new PooledModel(find, new JudgeClient(this.#options));
    this.#models.set(key, model);
    return model;
  }
}

/** A client of the user's own thinks as much as it does. */
function addEffort(source: JudgeModelSource, effort: Effort | null): JudgeModelSource {
  return effort === null || "ask" in source ? source : { ...source, effort };
}

/** A model that stays open while it has holders. */
export class PooledModel {
  readonly client: JudgeClient;
  readonly #find: () => Promise<JudgeModelSource>;
  readonly #holders = new Set<object>();
  #source: Promise<JudgeModelSource> | null = null;
  #model: Promise<OpenModel> | null = null;

  constructor(find: () => Promise<JudgeModelSource>, desk: JudgeClient) {
    this.#find = find;
    this.client = desk;
  }

  /** The model's address and price; needs no key. Throws if the name is unknown. A failure is not cached. */
  source(): Promise<JudgeModelSource> {
    this.#source ??= this.#find()
      .then(requireJudgeModel)
      .catch((error: unknown) => {
        this.#source = null;
        throw error;
      });
    return this.#source;
  }

  /** Opens the model for a holder, which must call `release`. Throws if its key is missing. A failure is not cached. */
  open(holder: object): Promise<OpenModel> {
    this.#holders.add(holder);
    this.#model ??= this.source()
      .then(openModel)
      .catch((error: unknown) => {
        this.#model = null;
        throw error;
      });
    return this.#model;
  }

  /** The last holder closes its connections. It can be opened again. */
  async release(holder: object): Promise<void> {
    if (!this.#holders.delete(holder) || this.#holders.size > 0) return;
    const opening = this.#model?.catch(() => null);
    this.#model = null;
    this.#source = null;
    const opened = await opening;
    await opened?.model.close?.();
  }
}
