import type { QualityKey } from "./recommendation.js";

/** What the tasks of a run stand for: tasks like them, or this dataset and nothing else. */
export type Population = "tasks" | "dataset";

/** When a run may stop before its last task, as its manifest stores it. */
export interface UntilConfig {
  /** "decided", "best", a threshold such as "pass_rate>=0.9" or "mean_score<0.5", or a precision such as "precision<=0.03". */
  readonly question: string;
  readonly quality: QualityKey;
  /** The largest acceptable loss; absent if systems are compared without a margin. */
  readonly margin?: number;
  readonly population: Population;
  /** The chance of a wrong verdict. */
  readonly alpha: number;
  /** The order that the guarantee needs. */
  readonly order: "tasks";
  /** Systems that count as one, such as those of a variant; the first is the baseline. Absent if each is by itself. */
  readonly variants?: readonly ComparedVariant[];
  /** The system of a stored run that those of this run are compared with; absent if there is none. */
  readonly against?: StoredBaseline;
}

/** Several systems that are compared as one. */
export interface ComparedVariant {
  readonly name: string;
  readonly systems: readonly string[];
}

/** One system of a stored run. */
export interface StoredBaseline {
  /** The id of the run. */
  readonly run: string;
  readonly system: string;
}

/** The answer about one system. */
export type SequentialAnswer =
  | "better"
  | "worse"
  | "non-inferior"
  | "inferior"
  | "reached"
  | "missed"
  | "precise"
  | "best"
  | "not best";

/** What a run in sequence found out about one system. */
export interface SequentialFinding {
  readonly system: string;
  /** The system it is compared with; null if it is judged by itself, or against all others. */
  readonly baseline: string | null;
  /** Null if undecided. */
  readonly answer: SequentialAnswer | null;
  /** Tasks seen when it was decided. */
  readonly decidedAfter: number | null;
  /** True if the fixed-sample test of all tasks decided. */
  readonly isFinal: boolean;
  /** Tasks with a value, or groups of them. */
  readonly n: number;
  /** The mean difference from the baseline, or the mean of the system. */
  readonly value: number | null;
  /** The mean of the baseline in the same tasks; null without a baseline. */
  readonly baselineValue: number | null;
  /** The interval that holds at any time, when it was decided or at the end. */
  readonly low: number;
  readonly high: number;
}

/** An interval of one system that holds at any time. */
export interface AnytimeInterval {
  readonly low: number;
  readonly high: number;
  /** Tasks, or groups of them. */
  readonly n: number;
}

/** What a sequential run spent on one system or variant, and did not have to. */
export interface SequentialArm {
  readonly system: string;
  /** Tasks seen when it needed no further trials; null if it ran to the end. */
  readonly droppedAfter: number | null;
  readonly intervals: Readonly<Record<QualityKey, AnytimeInterval>>;
  readonly trials: number;
  /** Planned trials that were not needed. */
  readonly notRun: number;
  readonly spentUsd: number | null;
  /** The mean cost of its trials, times the trials that were not needed. */
  readonly notSpentUsd: number | null;
}

/** Groups of tasks, of which each counts once, whatever its size. */
interface SequentialGroups {
  readonly planned: number;
  readonly seen: number;
  /** The numbers of tasks in the smallest and the largest group. */
  readonly smallest: number;
  readonly largest: number;
}

/** What a run that may stop before its last task has decided, recomputed from its rows. */
export interface SequentialReport extends Omit<UntilConfig, "order"> {
  readonly isDecided: boolean;
  /** The level of the intervals of `findings`, and of `arms`. */
  readonly level: number;
  readonly armLevel: number;
  readonly tasks: {
    readonly planned: number;
    /** Tasks seen until it was decided, in the seeded order; all that are complete if it is undecided. */
    readonly seen: number;
    /** Those of them without a value from every system that was still needed. */
    readonly passedOver: number;
  };
  /** Groups of tasks that count as one; null if every task is by itself. */
  readonly groups: SequentialGroups | null;
  readonly findings: readonly SequentialFinding[];
  readonly arms: readonly SequentialArm[];
  readonly spentUsd: number | null;
  readonly notSpentUsd: number | null;
  /** What all planned trials would have cost. */
  readonly fixedUsd: number | null;
}

/** Whether the question of a threshold is answered with yes if the threshold is reached. */
export function asksForReaching({ question }: Pick<UntilConfig, "question">): boolean {
  return question.includes(">=");
}

/**
 * Whether the verdict is about the mean over groups, while figures of systems are means over tasks: with groups of
 * different sizes the two differ.
 */
export function isAboutGroups({ groups }: Pick<SequentialReport, "groups">): boolean {
  return groups !== null && groups.smallest !== groups.largest;
}

/** What is compared: the variants, or each system by itself, after the system of a stored run. */
export function listComparedVariants(
  { variants, against }: Pick<UntilConfig, "variants" | "against">,
  systems: readonly string[],
): readonly ComparedVariant[] {
  const own = variants ?? systems.map((name) => ({ name, systems: [name] }));
  if (against === undefined) return own;
  const stored = nameStoredBaseline(against);
  return [{ name: stored, systems: [stored] }, ...own];
}

/** The name of the system of a stored run in the verdict of another. */
export function nameStoredBaseline({ run, system }: StoredBaseline): string {
  return `${system} of ${run}`;
}

/** What a sequential run says of the variant that a system belongs to. */
export function findSequentialArm(
  { variants, arms }: Pick<SequentialReport, "variants" | "arms">,
  system: string,
): SequentialArm | undefined {
  const name = variants?.find(({ systems }) => systems.includes(system))?.name ?? system;
  return arms.find((arm) => arm.system === name);
}
