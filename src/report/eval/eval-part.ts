import type { DatasetGate } from "../../core/dataset.js";
import type { Outcome } from "../../core/row.js";

// Types alone, because the page has them too.

/** The results of one eval file for one system. */
export interface EvalPart {
  readonly eval: string;
  /** `stimulus` for test cases of eval files, `example` for anything else. */
  readonly unit: "stimulus" | "example";
  readonly system: string;
  readonly planned: number;
  /** Trials that passed or failed. */
  readonly scored: number;
  readonly passed: number;
  readonly stimuli: readonly StimulusLine[];
  readonly skill: SkillLine;
  /** Null when there are no trigger tests. */
  readonly triggers: TriggerScore | null;
  readonly gates: readonly GateResult[];
  readonly passRate: number | null;
  readonly passRateInterval: readonly [number, number] | null;
  /** Of all trials; null if unknown. */
  readonly costUsd: number | null;
}

/** All trials of one test case by one system. Values that were not measured are null. */
export interface StimulusLine {
  readonly stimulus: string;
  readonly trials: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly passRate: number | null;
  /** Wilson interval over the trials. */
  readonly passRateInterval: readonly [number, number] | null;
  /** The k of `passAtK` and `passHatK`. */
  readonly k: number;
  readonly passAtK: number | null;
  readonly passHatK: number | null;
  /** The share of trials with the less frequent verdict, in percent. */
  readonly flakyPercent: number | null;
  readonly meanScore: number | null;
  /** For each trial. */
  readonly meanCostUsd: number | null;
  readonly meanSeconds: number | null;
  /** Why a trial has no verdict, if there is one without. */
  readonly why: string | null;
  /** The checks that failed, and how often; null when all trials with a verdict passed. */
  readonly failed: string | null;
}

/** The result of a skill, or of an eval without one, over all test cases. */
export interface SkillLine {
  /** Null for an eval without a skill under test. */
  readonly skill: string | null;
  /** The mean over test cases of their mean weighted score; null when nothing was scored. */
  readonly score: number | null;
  /** Test cases with a verdict, and all of them. */
  readonly scored: number;
  readonly stimuli: number;
  /** The smallest number of trials, used by the two values below. */
  readonly k: number;
  readonly passAtK: number | null;
  readonly passRate: number | null;
}

/** How well a skill is activated when it should be, and only then. */
export interface TriggerScore {
  /** Numbers of trials. */
  readonly truePositives: number;
  readonly falsePositives: number;
  readonly falseNegatives: number;
  readonly trueNegatives: number;
  /** Null when it was never activated. */
  readonly precision: number | null;
  /** Null when no trial should have activated it. */
  readonly recall: number | null;
  readonly f1: number | null;
}

/** A gate and its result. A value that was not measured passes no gate. */
export interface GateResult extends DatasetGate {
  readonly actual: number | null;
  readonly passed: boolean;
}
