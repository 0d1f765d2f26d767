import type { DatasetDefinition } from "../core/dataset.js";
import { AnswerQuality } from "../evaluators/answer-quality.js";

/** The built-in dataset `needle`. What makes it is loaded when it is asked for: reading code is most of a start. */
export const needle: DatasetDefinition = {
  description: "Synthetic: a fact hidden in a long text, by length and depth. Needs no network.",
  evaluators: [new AnswerQuality()],
  primaryField: "contains",
  load: async (options) => (await import("./generate-needles.js")).loadNeedles(options),
};
