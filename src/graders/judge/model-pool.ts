import { Desk, type DeskOptions } from "./desk.js";
import { type JudgeModelSource, type OpenModel, openModel, requireModel } from "./judge-model.js";

/** Finds the model that a name stands for. */
export type FindModel = (name: string) => Promise<JudgeModelSource>;

/** The models that graders ask, by name: graders of the same model share its connections and its limit on calls at a time. */
export class ModelPool {
  readonly #find: FindModel;
  readonly #options: DeskOptions;
  readonly #models = new Map<string, PooledModel>();

  constructor(find: FindModel, options: DeskOptions) {
    this.#find = find;
    this.#options = options;
  }

  of(name: string): PooledModel {
    const model = this.#models.get(name) ?? new PooledModel(() => this.#find(name), new Desk(this.#options));
    this.#models.set(name, model);
    return model;
  }
}

/** One model, open as long as somebody holds it. */
export class PooledModel {
  readonly desk: Desk;
  readonly #find: () => Promise<JudgeModelSource>;
  readonly #holders = new Set<object>();
  #source: Promise<JudgeModelSource> | null = null;
  #model: Promise<OpenModel> | null = null;

  constructor(find: () => Promise<JudgeModelSource>, desk: Desk) {
    this.#find = find;
    this.desk = desk;
  }

  /** Where the model is and what it costs, for which no key is needed. Throws when its name stands for nothing; that is not kept. */
  source(): Promise<JudgeModelSource> {
    this.#source ??= this.#find()
      .then(requireModel)
      .catch((error: unknown) => {
        this.#source = null;
        throw error;
      });
    return this.#source;
  }

  /** The model, for somebody who gives it back with `release`. Throws when its key is missing; that is not kept. */
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

  /** The last one to give it back closes its connections. It can be opened again. */
  async release(holder: object): Promise<void> {
    if (!this.#holders.delete(holder) || this.#holders.size > 0) return;
    const opening = this.#model?.catch(() => null);
    this.#model = null;
    this.#source = null;
    const opened = await opening;
    await opened?.model.close?.();
  }
}
