import { messageOf } from "../../core/errors.js";
import type { Evaluator, ScoreContext, Scored } from "../../core/evaluator.js";
import type { Example } from "../../core/example.js";
import type { Output } from "../../core/system.js";
import { type Bench, ScoreBench, type Trialled } from "./bench.js";
import { Desk } from "./desk.js";
import { type EstimateOptions, type JudgingCost, judgingCost } from "./estimate.js";
import { modelFingerprint, type OpenModel } from "./judge-model.js";
import { AGREEMENT_FIELD, type Judgement, type JudgeVote, weigh } from "./judgement.js";
import { OpenModels } from "./open-models.js";
import { PairBench } from "./pair-bench.js";
import { PROMPT_VERSION } from "./prompt.js";
import type { JudgeScale } from "./scale.js";
import { fieldOf, SCORE_FIELD } from "./score-form.js";
import { type JudgeSettings, type LLMJudgeOptions, settingsOf } from "./settings.js";
import { joinedTurns, TURN_FIELDS, turnsOf } from "./turns.js";

/**
 * Has a model, or a panel of models, judge each response: by a rubric on a scale, by several criteria, turn by
 * turn, or against another answer. What is judged is fenced off as data. A judge that fails, or says that it cannot judge, gives no score.
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
  readonly #options: LLMJudgeOptions;
  #desk: Desk;
  #models: OpenModels;

  constructor(options: LLMJudgeOptions) {
    const settings = settingsOf(options);
    const { sources, rules, pair, scale, maxWorkers, perTurn } = settings;
    this.#options = options;
    this.#settings = settings;
    this.#bench = pair === null ? new ScoreBench(settings) : new PairBench(settings, pair.against);
    this.#desk = new Desk(settings);
    this.#models = new OpenModels(sources);
    this.scale = pair === null ? scale.name : "pairwise";
    this.maxWorkers = maxWorkers;
    this.fields = [
      SCORE_FIELD,
      ...rules.criteria.map(([name]) => fieldOf(name)),
      ...(perTurn ? TURN_FIELDS : []),
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
    if (!this.#settings.perTurn) return this.#judgeOne({ original, processed }, context);
    const turns = turnsOf({ original, processed });
    if (typeof turns === "string") return { scores: {}, unscored: { [SCORE_FIELD]: turns }, votes: [] };
    // All are waited for even when one fails: a call that is under way would be billed after the row is done.
    const judged = turns.map((turn) => this.#judgeOne(turn, context));
    await Promise.allSettled(judged);
    return joinedTurns(await Promise.all(judged), withoutTurns(this.fields));
  }

  /**
   * A judge of the same models that goes about it in another way. Both share the limit on calls at a time, and closing
   * one closes the models of both.
   * @example
   * const comparing = judge.as({ pairwise: true });
   */
  as(way: Pick<LLMJudgeOptions, "pairwise" | "perTurn">): LLMJudge {
    const { scale, criteria, pairwise: _, perTurn: __, ...rest } = this.#options;
    const kept = way.pairwise === undefined || way.pairwise === false ? { scale, criteria } : {};
    const given = Object.entries(kept).filter(([, value]) => value !== undefined);
    const other = new LLMJudge({ ...rest, ...Object.fromEntries(given), ...way });
    other.#desk = this.#desk;
    other.#models = this.#models;
    return other;
  }

  /**
   * What judging an output to an example costs, before there is one; see `JudgingCost`.
   * @example
   * judge.estimate(example, { count: (text) => text.length / 4, answerTokens: 500 }); // { low: 0.0002, high: 0.0009 }
   */
  estimate(example: Example, options: EstimateOptions): JudgingCost {
    const { sources, perTurn } = this.#settings;
    return judgingCost(example, { sources, perTurn, bench: this.#bench }, options);
  }

  async #judgeOne({ original, processed }: Trialled, context: ScoreContext): Promise<Judgement> {
    const obstacle = this.#bench.obstacle({ original, processed });
    if (obstacle !== null) return { scores: {}, unscored: this.#forAllFields(obstacle), votes: [] };
    const models = await this.#models.open();
    const votes = await Promise.all(models.map((open) => this.#vote(open, { original, processed }, context)));
    const { rules, panel } = this.#settings;
    const criteria = rules.criteria.map(([name]) => name);
    return weigh(votes, { criteria, panel });
  }

  /** Makes the models, which fails when the key of one is missing. */
  async prepare(): Promise<void> {
    await this.#models.open();
  }

  fingerprint(): unknown {
    const { sources, scale, rules, panel, pair, perTurn, reference } = this.#settings;
    return {
      evaluator: this.name,
      version: 1,
      prompt: PROMPT_VERSION,
      models: sources.map(modelFingerprint),
      scale: pair === null ? scale.name : undefined,
      rubric: rules.rubric,
      criteria: rules.criteria,
      panel: sources.length > 1 ? panel : undefined,
      perTurn: perTurn ? true : undefined,
      pairwise: pair === null ? undefined : String(pair.against ?? "baseline"),
      reference,
    };
  }

  /** Gives the connections of its models back. It can be used again. */
  close(): Promise<void> {
    return this.#models.close();
  }

  /** A judge whose endpoint fails costs the panel its vote; an abort ends them all. */
  async #vote(open: OpenModel, trialled: Trialled, context: ScoreContext): Promise<JudgeVote> {
    const judge = open.model.name;
    try {
      return { judge, ...(await this.#bench.vote(trialled, { open, desk: this.#desk, context })) };
    } catch (error) {
      if (context.signal.aborted) throw context.signal.reason;
      return { judge, verdict: null, failure: messageOf(error), isError: true };
    }
  }

  #forAllFields(reason: string): Record<string, string> {
    return Object.fromEntries(withoutTurns(this.fields).map((field) => [field, reason]));
  }
}

/** The fields that a single judgement has. */
function withoutTurns(fields: readonly string[]): string[] {
  return fields.filter((field) => !TURN_FIELDS.includes(field));
}

/** For callers that never stop and ask for no bill. */
const NO_CONTEXT: ScoreContext = Object.freeze({ signal: new AbortController().signal });
