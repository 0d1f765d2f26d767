import { type JudgeModelSource, type OpenModel, openModel } from "./judge-model.js";

/** The models of a judge, made when they are first needed. Judges of the same models share them. */
export class OpenModels {
  readonly #sources: readonly JudgeModelSource[];
  #models: Promise<readonly OpenModel[]> | null = null;

  constructor(sources: readonly JudgeModelSource[]) {
    this.#sources = sources;
  }

  /** Throws when the key of one is missing; that is not kept. */
  open(): Promise<readonly OpenModel[]> {
    this.#models ??= Promise.all(this.#sources.map(openModel)).catch((error: unknown) => {
      this.#models = null;
      throw error;
    });
    return this.#models;
  }

  /** Gives their connections back. They can be opened again. */
  async close(): Promise<void> {
    const models = (await this.#models) ?? [];
    this.#models = null;
    for (const { model } of models) await model.close?.();
  }
}
