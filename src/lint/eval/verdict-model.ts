import type { GraderSpec } from "../../core/grader.js";
import { whyExclusive } from "./exclusions.js";
import { type Fate, fateOf, type Given } from "./fate.js";
import { sumsOf } from "./sums.js";

/** A grader as the verdict sees it. */
export interface Voter {
  readonly spec: GraderSpec;
  readonly weight: number;
  readonly required: boolean;
  /** What it says whatever is done; null when it depends on the work. */
  readonly fate: Fate | null;
  /** Whether its score is 0 or 1, and nothing between. */
  readonly isBinary: boolean;
}

/** Two graders that cannot both pass. */
export interface Exclusion {
  readonly pair: readonly [number, number];
  readonly why: string;
}

const BINARY =
  /^(?:completed|exit-success|not|run-command|diff-empty|(?:output|transcript|file|diff)-(?:not-)?(?:contains|matches|exists))$/;
/** As the verdict itself allows for. */
const ROUNDING = 1e-9;

/**
 * What graders can bring about together: which verdicts there are, and which of the graders have a say in them. Nothing
 * is run; each grader may pass or fail, but for those whose fate is known and for pairs that exclude each other.
 */
export class VerdictModel {
  readonly voters: readonly Voter[];
  readonly exclusions: readonly Exclusion[];
  readonly #threshold: number | null;

  constructor(graders: readonly GraderSpec[], threshold: number | null, given: Given) {
    this.voters = graders.map((spec) => ({
      spec,
      weight: spec.weight ?? 1,
      required: spec.required ?? false,
      fate: fateOf(spec, given),
      isBinary: BINARY.test(spec.type),
    }));
    this.#threshold = threshold;
    this.exclusions = exclusionsAmong(graders);
  }

  /** Whether some outcome of the graders lets a trial pass. */
  get canPass(): boolean {
    const musts = this.#musts();
    if (musts.some((index) => this.voters[index]?.fate?.passes === false)) return false;
    if (this.exclusions.some(({ pair: [a, b] }) => musts.includes(a) && musts.includes(b))) return false;
    return this.#threshold === null || this.#reaches(musts);
  }

  /** Whether some outcome of the graders lets a trial fail. */
  get canFail(): boolean {
    if (this.#musts().some((index) => this.voters[index]?.fate?.passes !== true)) return true;
    if (this.#threshold === null) return false;
    const sure = this.voters.filter(({ fate }) => fate?.passes === true);
    return total(sure) < this.#needed() - ROUNDING;
  }

  /** Whether a grader that passes instead of failing can turn a failed trial into a passed one. */
  hasSay(index: number): boolean {
    const voter = this.voters[index];
    if (voter === undefined || voter.required) return true;
    if (voter.weight === 0) return false;
    return this.#threshold === null || this.#canTip(index, voter.weight);
  }

  /** The graders that have to pass whatever the others say. */
  #musts(): number[] {
    const all = [...this.voters.entries()];
    return all
      .filter(([, { required, weight }]) => required || (this.#threshold === null && weight > 0))
      .map(([index]) => index);
  }

  #needed(): number {
    return (this.#threshold ?? 1) * total(this.voters);
  }

  #reaches(musts: readonly number[]): boolean {
    const free = this.#free(musts);
    const fixed = total(this.voters.filter((_, index) => musts.includes(index) || this.#isSure(index)));
    const sums = sumsOf(this.#choices(free));
    const most = sums === null ? total(free.map((index) => this.#voter(index))) : (sums.at(-1) ?? 0);
    return fixed + most >= this.#needed() - ROUNDING;
  }

  /**
   * With scores that may be anything the others reach a whole range; it tips the scale when that range and the gap that
   * its weight fills have something in common.
   */
  #canTip(index: number, weight: number): boolean {
    const musts = this.#musts();
    const foes = this.#foesOf(index);
    if (foes.some((foe) => musts.includes(foe))) return false;
    const free = this.#free([...musts, ...foes, index]);
    const scored = free.filter((other) => !this.#voter(other).isBinary);
    const range = total([...scored, ...musts.filter((one) => !this.#voter(one).isBinary)].map((o) => this.#voter(o)));
    const sure = this.voters.filter((voter, other) => {
      const isFixed = (musts.includes(other) && voter.isBinary) || (this.#isSure(other) && !musts.includes(other));
      return isFixed && other !== index;
    });
    const base = total(sure);
    const sums = sumsOf(this.#choices(free.filter((other) => this.#voter(other).isBinary)));
    if (sums === null) return true;
    const needed = this.#needed();
    return sums.some((sum) => {
      const least = base + sum;
      return least < needed - ROUNDING && least + range + weight >= needed - ROUNDING;
    });
  }

  #voter(index: number): Pick<Voter, "weight" | "isBinary"> {
    return this.voters[index] ?? { weight: 0, isBinary: true };
  }

  #isSure(index: number): boolean {
    return this.voters[index]?.fate?.passes === true;
  }

  #foesOf(index: number): number[] {
    return this.exclusions.flatMap(({ pair: [a, b] }) => (a === index ? [b] : b === index ? [a] : []));
  }

  /** Those that may pass or fail, when these are settled: not what is known to pass or fail, nor what they exclude. */
  #free(settled: readonly number[]): number[] {
    const passing = this.#musts();
    return [...this.voters.keys()].filter((index) => {
      if (settled.includes(index) || this.voters[index]?.fate !== null) return false;
      return !this.#foesOf(index).some((foe) => passing.includes(foe));
    });
  }

  #choices(free: readonly number[]) {
    const at = new Map(free.map((index, position) => [index, position]));
    const exclusions = this.exclusions.flatMap(({ pair: [a, b] }): [number, number][] => {
      const [first, second] = [at.get(a), at.get(b)];
      return first === undefined || second === undefined ? [] : [[first, second]];
    });
    return { weights: free.map((index) => this.#voter(index).weight), exclusions };
  }
}

function total(voters: readonly Pick<Voter, "weight">[]): number {
  return voters.reduce((sum, { weight }) => sum + weight, 0);
}

function exclusionsAmong(graders: readonly GraderSpec[]): Exclusion[] {
  return graders.flatMap((a, first) =>
    graders.slice(first + 1).flatMap((b, offset): Exclusion[] => {
      const why = whyExclusive(a, b);
      return why === null ? [] : [{ pair: [first, first + 1 + offset], why }];
    }),
  );
}
