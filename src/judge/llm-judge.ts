import { messageOf } from "../core/errors.js";
import type { Evaluator, ScoreContext, Scored } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { Output } from "../core/system.js";
import { type Bench, ScoreBench } from "./bench.js";
import { Desk } from "./desk.js";
import { modelFingerprint, type OpenModel, openModel } from "./judge-model.js";
import { AGREEMENT_FIELD, type Judgement, type JudgeVote, weigh } from "./judgement.js";
import { PairBench } from "./pair-bench.js";
import { PROMPT_VERSION } from "./prompt.js";
import type { JudgeScale } from "./scale.js";
import { fieldOf, SCORE_FIELD } from "./score-form.js";
import { type JudgeSettings, type LLMJudgeOptions, settingsOf } from "./settings.js";

/**
 * Has a model, or a panel of models, judge each response: by a rubric on a scale, by several criteria, or against
 * another answer. What is judged is fenced off as data. A judge that fails, or says that it cannot judge, gives no score.
 * @example
 * const model = { name: "mine", ask: async () => ({ response: '{"reasoning": "Right.", "verdict": "pass"}' }) };
 * await new LLMJudge({ model }).score({ id: 1, question: "Capital of France?" }, { response: "Paris" });
 * // { scores: { judge_score: 1 }, evidence: { judge_score: "pass: Right." } }
 */
export class LLMJudge implements Evaluator {
  readonly isPaid = true;
  readonly name = "llm_judge";
  readonly fields: readonly string[];
  readonly primaryFields: readonly string[] = [SCORE_FIELD];
  /** What it answers on; `"pairwise"` when it compares answers. */
  readonly scale: JudgeScale | "pairwise";
  /** How many calls it makes at a time. */
  readonly maxWorkers: number;
  readonly #settings: JudgeSettings;
  readonly #bench: Bench;
  readonly #desk: Desk;
  #models: Promise<readonly OpenModel[]> | null = null;

  constructor(options: LLMJudgeOptions) {
    const settings = settingsOf(options);
    const { sources, rules, pair, scale, maxWorkers } = settings;
    this.#settings = settings;
    this.#bench = pair === null ? new ScoreBench(settings) : new PairBench(settings, pair.against);
    this.#desk = new Desk(settings);
    this.scale = pair === null ? scale.name : "pairwise";
    this.maxWorkers = maxWorkers;
    this.fields = [
      SCORE_FIELD,
      ...rules.criteria.map(([name]) => fieldOf(name)),
      ...(sources.length > 1 ? [AGREEMENT_FIELD] : []),
    ];
  }

  async score(original: Example, processed: Output, context?: ScoreContext): Promise<Scored> {
    const { votes: _, ...scored } = await this.judge(original, processed, context);
    return scored;
  }

  /**
   * The same as `score`, and what each judge of the panel said.
   * @example
   * const { votes } = await judge.judge(example, output);
   */
  async judge(original: Example, processed: Output, context: ScoreContext = NO_CONTEXT): Promise<Judgement> {
    const obstacle = this.#bench.obstacle({ original, processed });
    if (obstacle !== null) return { scores: {}, unscored: this.#forAllFields(obstacle), votes: [] };
    const models = await this.#open();
    const votes = await Promise.all(models.map((open) => this.#vote(open, { original, processed }, context)));
    const { rules, panel } = this.#settings;
    const criteria = rules.criteria.map(([name]) => name);
    return weigh(votes, { criteria, panel });
  }

  /** Makes the models, which fails when the key of one is missing. */
  async prepare(): Promise<void> {
    await this.#open();
  }

  fingerprint(): unknown {
    const { sources, scale, rules, panel, pair, reference } = this.#settings;
    return {
      evaluator: this.name,
      version: 1,
      prompt: PROMPT_VERSION,
      models: sources.map(modelFingerprint),
      scale: pair === null ? scale.name : undefined,
      rubric: rules.rubric,
      criteria: rules.criteria,
      panel: sources.length > 1 ? panel : undefined,
      pairwise: pair === null ? undefined : String(pair.against ?? "baseline"),
      reference,
    };
  }

  /** Gives the connections of its models back. It can be used again. */
  async close(): Promise<void> {
    const models = (await this.#models) ?? [];
    this.#models = null;
    for (const { model } of models) await model.close?.();
  }

  #open(): Promise<readonly OpenModel[]> {
    this.#models ??= Promise.all(this.#settings.sources.map(openModel)).catch((error: unknown) => {
      this.#models = null;
      throw error;
    });
    return this.#models;
  }

  /** A judge whose endpoint fails costs the panel its vote; an abort ends them all. */
  async #vote(
    open: OpenModel,
    trialled: { original: Example; processed: Output },
    context: ScoreContext,
  ): Promise<JudgeVote> {
    const judge = open.model.name;
    try {
      return { judge, ...(await this.#bench.vote(trialled, { open, desk: this.#desk, context })) };
    } catch (error) {
      if (context.signal.aborted) throw context.signal.reason;
      return { judge, verdict: null, failure: messageOf(error), isError: true };
    }
  }

  #forAllFields(reason: string): Record<string, string> {
    return Object.fromEntries(this.fields.map((field) => [field, reason]));
  }
}

/** For callers that never stop and ask for no bill. */
const NO_CONTEXT: ScoreContext = Object.freeze({ signal: new AbortController().signal });
