import type { DatasetDefinition } from "../core/index.js";
import { AnswerQuality } from "../evaluators/index.js";
import type { NeedleOptions } from "./generate-needles.js";
import { parseNumberSettings, type SettingsSyntax } from "./parse-settings.js";

/** The built-in dataset `needle`. Its generator is loaded on use, to keep start-up fast. */
export const needle: DatasetDefinition = {
  description: "Synthetic: a fact hidden in a long text, by length and depth. Needs no network.",
  evaluators: [new AnswerQuality()],
  primaryField: "contains",
  load: async (options) => (await import("./generate-needles.js")).loadNeedles(options),
};

/** Upper bound on context lengths. */
export const MAX_LENGTH_TOKENS = 2_000_000;

const SETTINGS_SYNTAX: SettingsSyntax = {
  dataset: "needle",
  example: "needle:lengths=500,1000;depths=0,0.5,1;needles=1;count=40",
  settings: {
    lengths: { low: 50, high: MAX_LENGTH_TOKENS, whole: true, isList: true },
    depths: { low: 0, high: 1, whole: false, isList: true },
    needles: { low: 1, high: 20, whole: true, isList: false },
    count: { low: 1, high: 1_000_000, whole: true, isList: false },
  },
};

/**
 * Parses what follows the colon of `needle:…`.
 * @example
 * parseNeedleConfig("lengths=500,1000;depths=0,0.5"); // { lengths: [500, 1000], depths: [0, 0.5] }
 */
export function parseNeedleConfig(config: string): NeedleOptions {
  return parseNumberSettings(config, SETTINGS_SYNTAX);
}
