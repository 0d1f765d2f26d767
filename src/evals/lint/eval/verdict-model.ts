import type { GraderSpec } from "../../../core/grader.js";
import { verdictOn } from "../../../graders/verdict.js";
import { whyExclusive } from "./exclusions.js";
import { type Fate, fateOf, type Given } from "./fate.js";

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
/** More graders than this are not tried in every combination, and nothing is said of their verdict. */
const MAX_TRIED = 12;

/** What graders can bring about together: every combination of passing and failing is put to the rules of the verdict. */
export class VerdictModel {
  readonly voters: readonly Voter[];
  readonly exclusions: readonly Exclusion[];
  /** The verdict of each combination that can come about, by a bit for each grader; null when they are too many. */
  readonly #verdicts: ReadonlyMap<number, boolean> | null;

  constructor(graders: readonly GraderSpec[], threshold: number | null, given: Given) {
    this.voters = graders.map((spec) => ({
      spec,
      weight: spec.weight ?? 1,
      required: spec.required ?? false,
      fate: fateOf(spec, given),
      isBinary: BINARY.test(spec.type),
    }));
    this.exclusions = findExclusions(graders);
    this.#verdicts = graders.length > MAX_TRIED ? null : this.#tryAll(threshold);
  }

  /** Whether some outcome of the graders lets a trial pass. */
  get canPass(): boolean {
    return this.#verdicts === null || [...this.#verdicts.values()].includes(true);
  }

  /** Whether some outcome of the graders lets a trial fail. */
  get canFail(): boolean {
    return this.#verdicts === null || [...this.#verdicts.values()].includes(false);
  }

  /** Whether a grader that passes instead of failing can turn a failed trial into a passed one. */
  hasSay(index: number): boolean {
    const { required = false, weight = 1 } = this.voters[index] ?? {};
    if (required) return true;
    if (weight === 0) return false;
    const verdicts = this.#verdicts;
    // Next to a score between 0 and 1, any weight may be the one that tips it.
    const isBesideScores = this.voters.some((other, at) => at !== index && !other.isBinary && other.weight > 0);
    if (verdicts === null || isBesideScores) return true;
    return [...verdicts].some(([passing, passed]) => !passed && verdicts.get(passing | (1 << index)) === true);
  }

  #tryAll(threshold: number | null): Map<number, boolean> {
    const verdicts = new Map<number, boolean>();
    for (let passing = 0; passing < 1 << this.voters.length; passing++) {
      if (!this.#isPossible(passing)) continue;
      const grades = this.voters.map(({ weight, required }, index) => {
        const passed = isPassing(passing, index);
        return { passed, score: passed ? 1 : 0, status: "ok" as const, weight, required };
      });
      verdicts.set(passing, verdictOn(grades, threshold).passed === true);
    }
    return verdicts;
  }

  #isPossible(passing: number): boolean {
    if (this.exclusions.some(({ pair }) => pair.every((index) => isPassing(passing, index)))) return false;
    return this.voters.every(({ fate }, index) => fate === null || fate.passes === isPassing(passing, index));
  }
}

function isPassing(passing: number, index: number): boolean {
  return ((passing >> index) & 1) === 1;
}

function findExclusions(graders: readonly GraderSpec[]): Exclusion[] {
  return graders.flatMap((a, first) =>
    graders.slice(first + 1).flatMap((b, offset): Exclusion[] => {
      const why = whyExclusive(a, b);
      return why === null ? [] : [{ pair: [first, first + 1 + offset], why }];
    }),
  );
}
