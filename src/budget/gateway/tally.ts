import type { CostSource } from "../../core/row.js";
import type { Usage } from "../../core/system.js";
import { dollars } from "../price.js";
import { type Figures, SOURCES, tokensOf } from "./figures.js";

/** What all requests of a gateway together have used so far. */
export interface GatewayTotal {
  readonly usage: Readonly<Required<Usage>>;
  /** Null when a model has answered whose price is not known. */
  readonly costUsd: number | null;
  /** True while a part of it is only estimated. */
  readonly isEstimated: boolean;
  /** Of the least certain answer; `priced` while there is none. */
  readonly costSource: CostSource;
}

/**
 * The running sum of all answers. It is moved with every event of every stream, so that it keeps nothing but counts: an
 * answer's earlier figures are taken back when it has new ones.
 */
export class Tally {
  readonly #usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, reasoning: 0 };
  #pico = 0;
  #unpriced = 0;
  #estimated = 0;
  /** How many answers have a cost of each source. */
  readonly #sources = SOURCES.map(() => 0);

  /** Of all answers whose price is known. */
  get pico(): number {
    return this.#pico;
  }

  get tokens(): number {
    return tokensOf(this.#usage);
  }

  replace(before: Figures | null, after: Figures): void {
    if (before !== null) this.#count(before, -1);
    this.#count(after, 1);
  }

  total(): GatewayTotal {
    return {
      usage: { ...this.#usage },
      costUsd: this.#unpriced > 0 ? null : dollars(this.#pico),
      isEstimated: this.#estimated > 0,
      costSource: SOURCES[this.#sources.findIndex((answers) => answers > 0)] ?? "priced",
    };
  }

  #count({ usage, pico, costSource, isEstimated }: Figures, sign: 1 | -1): void {
    const sum = this.#usage;
    sum.input += sign * usage.input;
    sum.output += sign * usage.output;
    sum.cacheRead += sign * usage.cacheRead;
    sum.cacheWrite += sign * usage.cacheWrite;
    sum.cacheWrite1h += sign * usage.cacheWrite1h;
    sum.reasoning += sign * usage.reasoning;
    this.#pico += sign * (pico ?? 0);
    if (pico === null) this.#unpriced += sign;
    if (isEstimated) this.#estimated += sign;
    const source = SOURCES.indexOf(costSource);
    this.#sources[source] = (this.#sources[source] ?? 0) + sign;
  }
}
