import { isTrialError, messageOf, UsageError } from "../../core/errors.js";
import { lengthBias, pairLengthBias, positionBias } from "./bias.js";
import { Bill } from "./bill.js";
import type { BadLabel, Calibration } from "./calibration.js";
import { agreementWith, type JudgedLabel } from "./compare.js";
import { JudgeError } from "./judgement.js";
import { type Label, type LabelRow, readLabel } from "./labels.js";
import type { LLMJudge } from "./llm-judge.js";
import { SCORE_FIELD } from "./score-form.js";

/** How far a calibration is. */
export interface CalibrationProgress {
  readonly done: number;
  readonly total: number;
  /** Dollars so far, as far as they are known. */
  readonly costUsd: number | null;
}

export interface CalibrateOptions {
  judge: LLMJudge;
  labels: readonly LabelRow[];
  /** The most it may cost in dollars: no further label is begun that might exceed it. */
  maxCostUsd?: number;
  /** Stops it: what is judged by then is reported. */
  signal?: AbortSignal;
  onProgress?: (progress: CalibrationProgress) => void;
}

/**
 * Has a judge judge what people have judged, and says how far they agree and what the judge leans to. Rows that cannot be
 * used are listed and left out. Throws when none can be, or when the judge's key is missing.
 * @example
 * const labels = [{ question: "2+2?", response: "4", label: 1 }, { question: "2+3?", response: "6", label: 0 }];
 * (await calibrateJudge({ judge, labels })).agreement?.accuracy.value; // 1
 */
export async function calibrateJudge(options: CalibrateOptions): Promise<Calibration> {
  const { judge, labels, onProgress, maxCostUsd } = options;
  const { good, bad } = sorted(labels, judge);
  if (good.length === 0) throw nothingToCompare(bad);
  await judge.prepare();
  const signal = options.signal ?? new AbortController().signal;
  const sitting = new Sitting(judge, good.length, { signal, bill: new Bill(maxCostUsd ?? null) });
  await sitting.hear(good, (done) => onProgress?.({ done, total: good.length, costUsd: sitting.bill.costUsd }));
  return { ...sitting.result(), badRows: bad };
}

function sorted(rows: readonly LabelRow[], { scale }: LLMJudge): { good: Label[]; bad: BadLabel[] } {
  const good: Label[] = [];
  const bad: BadLabel[] = [];
  rows.forEach((row, at) => {
    const label = readLabel(row, scale, at + 1);
    if (typeof label === "string") bad.push({ row: at + 1, problem: label });
    else good.push(label);
  });
  return { good, bad };
}

function nothingToCompare([first]: readonly BadLabel[]): UsageError {
  const why = first === undefined ? "There are none." : `Row ${first.row} ${first.problem}.`;
  return new UsageError(`No row of labels can be used. ${why}`);
}

const MOST_REASONS = 5;

/** One calibration while it goes on. */
class Sitting {
  readonly bill: Bill;
  readonly #judge: LLMJudge;
  readonly #signal: AbortSignal;
  /** By the label's place, so that nothing depends on who answers first. */
  readonly #judged: (JudgedLabel | undefined)[];
  readonly #reasons = new Set<string>();
  #notJudged = 0;
  #failed = 0;

  constructor(judge: LLMJudge, labels: number, { signal, bill }: { signal: AbortSignal; bill: Bill }) {
    this.#judge = judge;
    this.#judged = new Array<JudgedLabel | undefined>(labels).fill(undefined);
    this.#signal = signal;
    this.bill = bill;
  }

  async hear(labels: readonly Label[], onDone: (done: number) => void): Promise<void> {
    // One iterator for all workers: each takes the next label that nobody has.
    const queue = labels.entries();
    let done = 0;
    const next = async (): Promise<boolean> => {
      if (this.#signal.aborted || !this.bill.isAffordable) return false;
      const taken = queue.next();
      if (taken.done === true) return false;
      await this.#hearOne(taken.value[1], taken.value[0]);
      done += 1;
      onDone(done);
      return true;
    };
    const work = async () => {
      while (await next());
    };
    // What a label costs is learnt from the first: no other may be begun before that is known.
    if (this.bill.isLimited) await next();
    await Promise.all(Array.from({ length: this.#judge.maxWorkers }, work));
    if (!this.bill.isAffordable && done < labels.length) this.#reasons.add("the rest might cost more than is allowed");
  }

  async #hearOne(label: Label, at: number): Promise<void> {
    const { example, output, people, length, otherLength } = label;
    const meter = this.bill.begin();
    try {
      const context = { signal: this.#signal, meter };
      const { scores, unscored, votes } = await this.#judge.judge(example, output, context);
      const judge = scores[SCORE_FIELD];
      const orders = votes.flatMap((vote) => (vote.orders === undefined ? [] : [vote.orders]));
      if (judge !== undefined) this.#judged[at] = { people, judge, length, otherLength, orders };
      else this.#leaveOut(unscored?.[SCORE_FIELD] ?? "the judge gave no score");
    } catch (error) {
      if (this.#signal.aborted) return;
      if (!(error instanceof JudgeError) && !isTrialError(error)) throw error;
      this.#failed += 1;
      this.#note(messageOf(error));
    } finally {
      meter.end();
    }
  }

  #leaveOut(reason: string): void {
    this.#notJudged += 1;
    this.#note(reason);
  }

  #note(reason: string): void {
    if (this.#reasons.size < MOST_REASONS) this.#reasons.add(reason);
  }

  result(): Omit<Calibration, "badRows"> {
    const { scale } = this.#judge;
    const labels = this.#judged.length;
    const items = this.#judged.filter((item) => item !== undefined);
    const isEmpty = items.length === 0;
    const length = () => (scale === "pairwise" ? pairLengthBias(items) : lengthBias(items, scale));
    return {
      scale,
      labels,
      judged: items.length,
      notJudged: this.#notJudged,
      failed: this.#failed,
      notAsked: labels - items.length - this.#notJudged - this.#failed,
      reasons: [...this.#reasons],
      agreement: isEmpty ? null : agreementWith(items, scale),
      position: isEmpty || scale !== "pairwise" ? null : positionBias(items),
      length: isEmpty ? null : length(),
      costUsd: this.bill.costUsd,
      isCostPartial: this.bill.isPartial,
    };
  }
}
