import type { CallFaultKind } from "./faults.js";

/** A figure with its 95 % interval. Without an interval it is not given: the value is null, and `reason` says why. */
export interface ReliabilityFigure {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** The number of tasks it is based on. */
  readonly tasks: number;
  readonly reason?: string;
}

/** What injected faults did to one system. */
export interface FaultFigures {
  /** Injected faults by kind. */
  readonly counts: Readonly<Partial<Record<CallFaultKind, number>>>;
  /** The share of faults, other than delays, after which the trial got a complete answer. */
  readonly recovered: ReliabilityFigure;
  /** From a fault to the end of the next complete answer, where there was one. */
  readonly recoverySeconds: ReliabilityFigure;
}

/** One system under one kind of stress. */
export interface StressFigures {
  /** The name of the arm in the run. */
  readonly name: string;
  /** `faults`, or the kind of perturbation. */
  readonly kind: string;
  readonly passRate: ReliabilityFigure;
  /** Its pass rate as a share of the clean one, on the tasks that both have. */
  readonly robustness: ReliabilityFigure;
  /** Seconds per trial beyond the clean ones, on the tasks that both have. */
  readonly extraSeconds: ReliabilityFigure;
  /** Present for the arm with faults. */
  readonly faults?: FaultFigures;
}

/** How well the stated confidence agrees with what was right. */
export interface CalibrationFigures {
  /** Scored trials that stated a confidence, and all scored trials. */
  readonly stated: number;
  readonly scored: number;
  /** The mean squared difference between confidence and outcome: 0 is best, 0.25 is what always saying 50 % gets. */
  readonly brier: ReliabilityFigure;
  /** The expected calibration error over ten bins of confidence. */
  readonly ece: ReliabilityFigure;
  /** The chance that a trial that passed has more confidence than one that failed. */
  readonly discrimination: ReliabilityFigure;
  /** The mean confidence minus the pass rate: above 0, the system is too sure of itself. */
  readonly overconfidence: ReliabilityFigure;
}

/** The reliability of one system in a stress test. */
export interface ReliabilityProfile {
  readonly system: string;
  /** Of the clean arm, as the next four. */
  readonly passRate: ReliabilityFigure;
  /** The share of pairs of trials of one task that end alike. */
  readonly outcomeConsistency: ReliabilityFigure;
  /** How alike the trials of one task are in cost, tokens and time: exp(−coefficient of variation). */
  readonly costConsistency: ReliabilityFigure;
  readonly tokenConsistency: ReliabilityFigure;
  readonly timeConsistency: ReliabilityFigure;
  readonly arms: readonly StressFigures[];
  /** Null if no confidence was stated. */
  readonly calibration: CalibrationFigures | null;
}
