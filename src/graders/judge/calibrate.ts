import type { ScoreMeter } from "../../core/index.js";
import { getErrorMessage, isTrialError, UsageError } from "../../core/index.js";
import {
  bootstrapEstimate,
  cohenKappa,
  crossTable,
  estimateProportion,
  mean,
  quadraticKappa,
  spearman,
} from "../../stats/index.js";
import type {
  BadLabel,
  Calibration,
  Disagreement,
  JudgeAgreement,
  LengthBias,
  PairLengthBias,
  PositionBias,
} from "./calibration.js";
import { JudgeError, SCORE_FIELD, type Winner } from "./judgement.js";
import { type Label, type LabelRow, readLabel } from "./labels.js";
import type { LLMJudge } from "./llm-judge.js";
import { getScale, type JudgeScale } from "./scale.js";

/** Progress of a calibration. */
export interface CalibrationProgress {
  readonly done: number;
  readonly total: number;
  /** Known cost so far in dollars. */
  readonly costUsd: number | null;
}

/** Options of `calibrateJudge`. */
export interface CalibrateOptions {
  judge: LLMJudge;
  labels: readonly LabelRow[];
  /** Maximum cost in dollars: no further label is started that might exceed it. */
  maxCostUsd?: number;
  /** Stops the calibration; labels judged until then are reported. */
  signal?: AbortSignal;
  onProgress?: (progress: CalibrationProgress) => void;
}

/**
 * Compares a judge with labels by people: how well they agree, and the judge's biases. Rows that cannot be used are listed
 * and skipped. Throws if no row can be used, or if the judge's key is missing.
 * @example
 * const labels = [{ question: "2+2?", response: "4", label: 1 }, { question: "2+3?", response: "6", label: 0 }];
 * (await calibrateJudge({ judge, labels })).agreement?.accuracy.value; // 1
 */
export async function calibrateJudge(options: CalibrateOptions): Promise<Calibration> {
  const { judge, labels, onProgress, maxCostUsd } = options;
  const { good, bad } = readLabelRows(labels, judge);
  if (good.length === 0) throw createNoLabelsError(bad);
  await judge.prepare();
  const signal = options.signal ?? new AbortController().signal;
  const sitting = new CalibrationRun(judge, good.length, { signal, bill: new CalibrationCost(maxCostUsd ?? null) });
  await sitting.judgeAll(good, (done) => onProgress?.({ done, total: good.length, costUsd: sitting.cost.costUsd }));
  return { ...sitting.result(), badRows: bad };
}

function readLabelRows(rows: readonly LabelRow[], { scale }: LLMJudge): { good: Label[]; bad: BadLabel[] } {
  const good: Label[] = [];
  const bad: BadLabel[] = [];
  rows.forEach((row, at) => {
    const label = readLabel(row, scale, at + 1);
    if (typeof label === "string") bad.push({ row: at + 1, problem: label });
    else good.push(label);
  });
  return { good, bad };
}

function createNoLabelsError([first]: readonly BadLabel[]): UsageError {
  const why = first === undefined ? "There are none." : `Row ${first.row} ${first.problem}.`;
  return new UsageError(`No label row can be used. ${why}`);
}

const MAX_REASONS = 5;

class CalibrationRun {
  readonly cost: CalibrationCost;
  readonly #judge: LLMJudge;
  readonly #signal: AbortSignal;
  /** Indexed by label, so that results do not depend on the order of the answers. */
  readonly #judged: (JudgedLabel | undefined)[];
  readonly #reasons = new Set<string>();
  #notJudged = 0;
  #failed = 0;

  constructor(judge: LLMJudge, labels: number, { signal, bill }: { signal: AbortSignal; bill: CalibrationCost }) {
    this.#judge = judge;
    this.#judged = new Array<JudgedLabel | undefined>(labels).fill(undefined);
    this.#signal = signal;
    this.cost = bill;
  }

  async judgeAll(labels: readonly Label[], onDone: (done: number) => void): Promise<void> {
    // All workers share one iterator, so each label is taken once.
    const queue = labels.entries();
    let done = 0;
    const next = async (): Promise<boolean> => {
      if (this.#signal.aborted || !this.cost.isAffordable) return false;
      const taken = queue.next();
      if (taken.done === true) return false;
      await this.#judgeOne(taken.value[1], taken.value[0]);
      done += 1;
      onDone(done);
      return true;
    };
    const work = async () => {
      while (await next());
    };
    // The first label shows what a label costs, so finish it before starting others.
    if (this.cost.isLimited) await next();
    await Promise.all(Array.from({ length: this.#judge.maxWorkers }, work));
    if (!this.cost.isAffordable && done < labels.length)
      this.#reasons.add("judging the rest might exceed the cost limit");
  }

  async #judgeOne(label: Label, at: number): Promise<void> {
    const { people, length, otherLength } = label;
    const meter = this.cost.beginLabel();
    try {
      const context = { signal: this.#signal, meter };
      const { scores, unscored, votes } = await this.#judge.judge(label.example, label.output, context);
      const judge = scores[SCORE_FIELD];
      const orders = votes.flatMap((vote) => (vote.orders === undefined ? [] : [vote.orders]));
      if (judge !== undefined) this.#judged[at] = { label, people, judge, length, otherLength, orders };
      else this.#countUnjudged(unscored?.[SCORE_FIELD] ?? "the judge gave no score");
    } catch (error) {
      if (this.#signal.aborted) return;
      if (!(error instanceof JudgeError) && !isTrialError(error)) throw error;
      this.#failed += 1;
      this.#addReason(getErrorMessage(error));
    } finally {
      meter.end();
    }
  }

  #countUnjudged(reason: string): void {
    this.#notJudged += 1;
    this.#addReason(reason);
  }

  #addReason(reason: string): void {
    if (this.#reasons.size < MAX_REASONS) this.#reasons.add(reason);
  }

  result(): Omit<Calibration, "badRows"> {
    const { scale } = this.#judge;
    const labels = this.#judged.length;
    const items = this.#judged.filter((item) => item !== undefined);
    const isEmpty = items.length === 0;
    const length = () => (scale === "pairwise" ? computePairLengthBias(items) : computeLengthBias(items, scale));
    return {
      scale,
      labels,
      judged: items.length,
      notJudged: this.#notJudged,
      failed: this.#failed,
      notAsked: labels - items.length - this.#notJudged - this.#failed,
      reasons: [...this.#reasons],
      agreement: isEmpty ? null : computeJudgeAgreement(items, scale),
      disagreements: listDisagreements(this.#judged, scale),
      position: isEmpty || scale !== "pairwise" ? null : computePositionBias(items),
      length: isEmpty ? null : length(),
      costUsd: this.cost.costUsd,
      isCostPartial: this.cost.isPartial,
    };
  }
}

/** The cost of one label while it is judged. */
interface LabelMeter extends ScoreMeter {
  end(): void;
}

/** Sums the cost of a calibration and checks whether one more label is affordable. */
class CalibrationCost {
  costUsd: number | null = null;
  isPartial = false;
  readonly #maxUsd: number | null;
  #open = 0;
  #maxLabelUsd = 0;

  constructor(maxUsd: number | null) {
    this.#maxUsd = maxUsd;
  }

  get isLimited(): boolean {
    return this.#maxUsd !== null;
  }

  /** Assumes that the labels in progress and the next one each cost as much as the most expensive one so far. */
  get isAffordable(): boolean {
    return this.#maxUsd === null || (this.costUsd ?? 0) + (this.#open + 1) * this.#maxLabelUsd <= this.#maxUsd;
  }

  beginLabel(): LabelMeter {
    this.#open += 1;
    let spent = 0;
    return {
      add: ({ costUsd }) => {
        spent += costUsd ?? 0;
        this.#add(costUsd);
      },
      end: () => {
        this.#open -= 1;
        this.#maxLabelUsd = Math.max(this.#maxLabelUsd, spent);
      },
    };
  }

  #add(costUsd: number | null): void {
    if (costUsd === null) this.isPartial = true;
    else this.costUsd = (this.costUsd ?? 0) + costUsd;
  }
}

/** The two orders of a pair and the votes of several judges on it count as one item. */
function computePositionBias(items: readonly JudgedLabel[]): PositionBias {
  const orders = items.flatMap((item) => item.orders);
  const pairs = items.filter((item) => item.orders.length > 0).length;
  const decided = items.filter((item) => item.orders.flat().some((winner) => winner !== "tie")).length;
  const flipped = orders.filter(([first, second]) => first !== second);
  const contradicted = flipped.filter((both) => !both.includes("tie"));
  return {
    firstShown: estimateProportion(
      countFirstShown(orders),
      orders.flat().filter((winner) => winner !== "tie").length,
      decided,
    ),
    flipped: estimateProportion(flipped.length, orders.length, pairs),
    contradicted: estimateProportion(contradicted.length, orders.length, pairs),
  };
}

/** A is the response, which is shown first in the first order and second in the second. */
function countFirstShown(orders: readonly (readonly [Winner, Winner])[]): number {
  return orders.reduce((first, [one, two]) => first + Number(one === "A") + Number(two === "B"), 0);
}

function computeLengthBias(items: readonly JudgedLabel[], scale: JudgeScale): LengthBias {
  return {
    kind: "single",
    correlation: bootstrapEstimate(items, computeLengthCorrelation),
    longerHalf: bootstrapEstimate(items, (sample) => compareHalves(sample, scale)),
  };
}

function computeLengthCorrelation(items: readonly JudgedLabel[]): number | null {
  return spearman(
    items.map(({ judge, people }) => judge - people),
    items.map(({ length }) => length),
  );
}

/** With an odd number of items, the middle one is in neither half. Null if all have the same length. */
function compareHalves(items: readonly JudgedLabel[], scale: JudgeScale): number | null {
  const sorted = items.toSorted((a, b) => a.length - b.length);
  if (sorted.length < 2 || sorted[0]?.length === sorted.at(-1)?.length) return null;
  const half = Math.floor(sorted.length / 2);
  const shorter = computeMeanDifference(sorted.slice(0, half), scale);
  const longer = computeMeanDifference(sorted.slice(-half), scale);
  return shorter === null || longer === null ? null : longer - shorter;
}

/** How often the judge and people prefer the longer of two answers, over the same pairs. */
function computePairLengthBias(items: readonly JudgedLabel[]): PairLengthBias {
  const decided = items.filter(
    ({ judge, people, length, otherLength }) => judge !== 0.5 && people !== 0.5 && length !== otherLength,
  );
  const share = (who: "judge" | "people") => (sample: readonly JudgedLabel[]) =>
    sample.filter((item) => doesPreferLonger(item, who)).length;
  const difference = (sample: readonly JudgedLabel[]) =>
    sample.length === 0 ? null : (share("judge")(sample) - share("people")(sample)) / sample.length;
  return {
    kind: "pairwise",
    judge: estimateProportion(share("judge")(decided), decided.length),
    people: estimateProportion(share("people")(decided), decided.length),
    difference: bootstrapEstimate(decided, difference),
  };
}

function doesPreferLonger(item: JudgedLabel, who: "judge" | "people"): boolean {
  return item[who] > 0.5 === item.length > (item.otherLength ?? 0);
}

/** A row that people and the judge have both judged, as scores in [0, 1]. */
interface JudgedLabel {
  readonly label: Label;
  readonly people: number;
  readonly judge: number;
  readonly length: number;
  readonly otherLength: number | null;
  /** For a pair: each judge's winner in both orders. */
  readonly orders: readonly (readonly [Winner, Winner])[];
}

const PAIR_CATEGORIES = ["b", "tie", "a"];

/** Lists the categories of a scale, worst first. */
function listCategories(scale: JudgeScale | "pairwise"): string[] {
  return scale === "pairwise" ? PAIR_CATEGORIES : getScale(scale).values.map(String);
}

/** The category of a score: the nearest value of the scale; for a pair, which answer is ahead. */
function toCategory(share: number, scale: JudgeScale | "pairwise"): number {
  if (scale === "pairwise") return 1 + Math.sign(share - 0.5);
  return Math.round(share * (getScale(scale).values.length - 1));
}

/** How many points of the scale a score of 1 spans. */
function getScaleSpan(scale: JudgeScale | "pairwise"): number {
  if (scale === "pairwise") return 1;
  const { low, high } = getScale(scale);
  return high - low;
}

function computeJudgeAgreement(items: readonly JudgedLabel[], scale: JudgeScale | "pairwise"): JudgeAgreement {
  const categories = listCategories(scale);
  const pairs = items.map(({ people, judge }) => [toCategory(people, scale), toCategory(judge, scale)] as const);
  const agreed = pairs.filter(([people, judge]) => people === judge).length;
  const isOrdinal = scale !== "pairwise" && categories.length > 2;
  const tableOf = (sample: readonly (readonly [number, number])[]) =>
    crossTable(
      sample.map(([people]) => people),
      sample.map(([, judge]) => judge),
      categories.length,
    );
  return {
    accuracy: estimateProportion(agreed, items.length),
    kappa: bootstrapEstimate(pairs, (sample) => cohenKappa(tableOf(sample))),
    quadraticKappa: isOrdinal ? bootstrapEstimate(pairs, (sample) => quadraticKappa(tableOf(sample))) : null,
    meanDifference:
      scale === "pairwise" ? null : bootstrapEstimate(items, (sample) => computeMeanDifference(sample, scale)),
    categories,
    confusion: tableOf(pairs),
  };
}

function listDisagreements(rows: readonly (JudgedLabel | undefined)[], scale: JudgeScale | "pairwise"): Disagreement[] {
  const categories = listCategories(scale);
  const differing = rows.flatMap((item, at) => {
    if (item === undefined) return [];
    const [people, judge] = [toCategory(item.people, scale), toCategory(item.judge, scale)];
    const { example, output } = item.label;
    const texts = { question: example.question ?? null, response: output.response ?? "" };
    const names = { people: categories[people] ?? "", judge: categories[judge] ?? "" };
    return people === judge ? [] : [{ distance: Math.abs(people - judge), row: { row: at + 1, ...texts, ...names } }];
  });
  return differing.sort((a, b) => b.distance - a.distance).map(({ row }) => row);
}

/** The mean of judge − people in points of the scale; null without items. */
function computeMeanDifference(items: readonly JudgedLabel[], scale: JudgeScale | "pairwise"): number | null {
  return items.length === 0 ? null : mean(items.map(({ judge, people }) => judge - people)) * getScaleSpan(scale);
}
