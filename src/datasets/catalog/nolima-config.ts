import { LONGEST } from "../needle-config.js";
import { parseSettings, type SettingsSyntax } from "../number-settings.js";

/** How long the texts are, where the needle stands in them, and how far the question is from it. */
export interface NolimaSettings {
  /** Approximate lengths of the context in tokens. */
  readonly lengths: readonly number[];
  /** Where the needle stands: 0 is the beginning, 1 the end. */
  readonly depths: readonly number[];
  /** 1 for questions that are one step of knowledge away from the needle, 2 for those that are two. */
  readonly hops: readonly number[];
}

const DEFAULTS: NolimaSettings = { lengths: [1000, 4000, 16_000], depths: [0, 0.25, 0.5, 0.75, 1], hops: [1, 2] };

const SYNTAX: SettingsSyntax = {
  dataset: "nolima",
  example: "nolima:lengths=1000,4000;depths=0,0.5,1;hops=1",
  settings: {
    lengths: { low: 250, high: LONGEST, whole: true, isList: true },
    depths: { low: 0, high: 1, whole: false, isList: true },
    hops: { low: 1, high: 2, whole: true, isList: true },
  },
};

/**
 * Reads what follows the colon of `nolima:…`.
 * @example
 * parseNolimaConfig("lengths=1000;hops=1"); // { lengths: [1000], depths: [0, 0.25, 0.5, 0.75, 1], hops: [1] }
 */
export function parseNolimaConfig(config: string): NolimaSettings {
  return { ...DEFAULTS, ...parseSettings(config, SYNTAX) };
}
