import type { Evaluator, Example, Output, ScoreContext, Scored } from "../../core/index.js";
import { getErrorMessage } from "../../core/index.js";
import { convertToText, getResponseText, listGolds } from "../../evaluators/index.js";
import { type EstimateOptions, estimateJudgeCalls, type JudgingCost } from "./estimate.js";
import { askJudge, JudgeClient, type JudgeSession, type ParsedVerdict } from "./judge-client.js";
import { computeModelFingerprint, type JudgeModelSource, type OpenModel, openModel } from "./judge-model.js";
import {
  AGREEMENT_FIELD,
  type AnswerForm,
  buildObjectSchema,
  type CannotJudge,
  combineVotes,
  describeCannotJudge,
  isCannotJudge,
  type Judgement,
  type JudgeVote,
  REASONING_PROPERTIES,
  SCORE_FIELD,
  shortenReason,
  toCriterionField,
  type Winner,
} from "./judgement.js";
import {
  findMissingReference,
  findMissingResponse,
  type JudgedCase,
  type JudgePrompt,
  type JudgingMode,
  ScoringMode,
  selectReferences,
} from "./judging-mode.js";
import type { Material } from "./material.js";
import { buildTaskMaterial } from "./material.js";
import { toVerdictFields, type VerdictFields } from "./objects-in-text.js";
import { buildCaseMessage, buildPairInstructions, PROMPT_VERSION } from "./prompt.js";
import type { JudgeScale } from "./scale.js";

import { type ComparisonTarget, type JudgeSettings, type LLMJudgeOptions, resolveJudgeSettings } from "./settings.js";
import { mergeTurns, splitTurns, TURN_FIELDS } from "./turns.js";

/** One judge's preference between two answers in one order. */
interface Preference {
  readonly winner: Winner;
  readonly reason: string;
}

const PAIR_FORM: AnswerForm<Preference | CannotJudge> = {
  shape: {
    name: "verdict",
    schema: buildObjectSchema({ ...REASONING_PROPERTIES, winner: { type: "string", enum: ["A", "B", "tie"] } }),
  },
  pattern: '{"reasoning": "…", "cannot_judge": true | false, "winner": "A" | "B" | "tie"}',
  fits: (fields) => "winner" in fields || isCannotJudge(fields),
  read: readPreference,
};

function readPreference(fields: VerdictFields): Preference | CannotJudge | string {
  if (isCannotJudge(fields)) return { cannot: describeCannotJudge(fields) };
  const winner = parseWinner(fields.winner);
  return winner === null ? 'the winner must be "A", "B" or "tie"' : { winner, reason: shortenReason(fields.reasoning) };
}

function parseWinner(said: unknown): Winner | null {
  const word = typeof said === "string" ? said.trim().toLowerCase() : "";
  if (word === "tie" || word === "draw") return "tie";
  if (word === "a" || word === "answer a") return "A";
  return word === "b" || word === "answer b" ? "B" : null;
}

type PairVote = Omit<JudgeVote, "judge">;

/** Compares the response with another answer in both orders, because judges have a position bias, mostly toward the first. */
class PairwiseMode implements JudgingMode {
  readonly #against: ComparisonTarget | null;
  readonly #reference: boolean | undefined;
  readonly #system: string;

  constructor({ rules, reference }: JudgeSettings, against: ComparisonTarget | null) {
    this.#against = against;
    this.#reference = reference;
    this.#system = buildPairInstructions(rules, PAIR_FORM);
  }

  obstacle({ original, processed }: JudgedCase): string | null {
    const isMissing = findOtherAnswer(original, this.#against) === null;
    const missing = isMissing
      ? `the example has no ${describeOtherAnswer(this.#against)} to compare the response with`
      : null;
    return findMissingResponse(processed) ?? missing ?? findMissingReference(original, this.#reference);
  }

  prompts(trialled: JudgedCase): readonly [JudgePrompt, JudgePrompt] {
    const [own, other] = [getResponseText(trialled.processed), findOtherAnswer(trialled.original, this.#against) ?? ""];
    return [this.#prompt(trialled, [own, other]), this.#prompt(trialled, [other, own])];
  }

  async vote(trialled: JudgedCase, asked: JudgeSession): Promise<PairVote> {
    if (getResponseText(trialled.processed) === findOtherAnswer(trialled.original, this.#against))
      return SAME_TEXT_VOTE;
    const [one, two] = this.prompts(trialled);
    const [first, second] = await waitForBoth(
      askJudge(asked, { form: PAIR_FORM, ...one }),
      askJudge(asked, { form: PAIR_FORM, ...two }),
    );
    return combineOrders(first, invertPreference(second));
  }

  #prompt({ original, processed }: JudgedCase, [a, b]: readonly [string, string]): JudgePrompt {
    const golds = selectReferences(original, this.#reference);
    const answers: Material[] = [
      { tag: "answer-a", text: a },
      { tag: "answer-b", text: b },
    ];
    // Don't show one of the answers as a reference: it would win.
    const references = golds.filter(({ text }) => text !== a && text !== b);
    const message = buildCaseMessage({ task: buildTaskMaterial(original, processed), references, answers }, PAIR_FORM);
    return { system: this.#system, message };
  }
}

/** Waits for both even if one fails: a call still in progress would be billed after the row is done. */
async function waitForBoth<T>(first: Promise<T>, second: Promise<T>): Promise<readonly [T, T]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}

/** Two identical texts need no judge. */
const SAME_TEXT_VOTE: PairVote = {
  verdict: { [SCORE_FIELD]: { score: 0.5, value: "tie", reason: "both answers are the same text" } },
};

function findOtherAnswer(example: Example, against: ComparisonTarget | null): string | null {
  if (typeof against === "function") return toOtherAnswerText(against(example));
  if (against !== null) return toOtherAnswerText(example[against]);
  return toOtherAnswerText(example.baseline) ?? listGolds(example)[0] ?? null;
}

/** A baseline may be a recorded output. */
function toOtherAnswerText(value: unknown): string | null {
  const fields = toVerdictFields(value);
  if (fields !== null && "response" in fields) return convertToText(fields.response);
  return value === undefined || value === null || typeof value === "object" ? null : convertToText(value);
}

function describeOtherAnswer(against: ComparisonTarget | null): string {
  return typeof against === "string" ? `field "${against}"` : "baseline and no gold answer";
}

type ParsedPreference = ParsedVerdict<Preference | CannotJudge>;

/** Converts the result of the second order as if the response had been shown first. */
function invertPreference(compared: ParsedPreference): ParsedPreference {
  if (!("said" in compared) || "cannot" in compared.said) return compared;
  const { winner, reason } = compared.said;
  return { said: { winner: winner === "tie" ? winner : winner === "A" ? "B" : "A", reason } };
}

const POINTS: Readonly<Record<Winner, number>> = { A: 1, tie: 0.5, B: 0 };

/** The mean of both orders. A result from one order only would not be comparable. */
function combineOrders(first: ParsedPreference, second: ParsedPreference): PairVote {
  const failure = getFailure(first) ?? getFailure(second);
  if (failure !== null) return { verdict: null, failure };
  const [one, two] = [getPreference(first), getPreference(second)];
  if (one === null || two === null) return { verdict: null, failure: getCannotReason(one === null ? first : second) };
  const score = (POINTS[one.winner] + POINTS[two.winner]) / 2;
  const orders = [one.winner, two.winner] as const;
  return { verdict: { [SCORE_FIELD]: { score, value: describeOrders(orders), reason: one.reason } }, orders };
}

function getFailure(compared: ParsedPreference): string | null {
  return "problem" in compared ? compared.problem : null;
}

function getPreference(compared: ParsedPreference): Preference | null {
  return "said" in compared && "winner" in compared.said ? compared.said : null;
}

function getCannotReason(compared: ParsedPreference): string {
  return "said" in compared && "cannot" in compared.said ? compared.said.cannot : "";
}

const WINNER_WORDS: Readonly<Record<Winner, string>> = { A: "better", B: "worse", tie: "a tie" };

function describeOrders([first, second]: readonly [Winner, Winner]): string {
  if (first === second) return first === "tie" ? "tie in both orders" : `${WINNER_WORDS[first]} in both orders`;
  const isContradiction = first !== "tie" && second !== "tie";
  const each = `${WINNER_WORDS[first]} when shown first, ${WINNER_WORDS[second]} when shown second`;
  return isContradiction ? `tie, because the two orders contradict each other: ${each}` : each;
}

/** The models of a judge, opened on first use and shared by all judges made from it. */
export class JudgeModels {
  readonly #sources: readonly JudgeModelSource[];
  #models: Promise<readonly OpenModel[]> | null = null;

  constructor(sources: readonly JudgeModelSource[]) {
    this.#sources = sources;
  }

  /** Throws if a key is missing. A failure is not cached. */
  open(): Promise<readonly OpenModel[]> {
    this.#models ??= Promise.all(this.#sources.map(openModel)).catch((error: unknown) => {
      this.#models = null;
      throw error;
    });
    return this.#models;
  }

  /** Closes their connections. They can be opened again. */
  async close(): Promise<void> {
    const models = (await this.#models) ?? [];
    this.#models = null;
    for (const { model } of models) await model.close?.();
  }
}

/**
 * Has a model or a panel of models judge each response: by a rubric on a scale, by several criteria, turn by turn, or
 * against another answer. What is judged is marked as data. A judge that fails or cannot judge gives no score.
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
  /** The scale of its answers; `"pairwise"` if it compares answers. */
  readonly scale: JudgeScale | "pairwise";
  /** Maximum number of concurrent calls. */
  readonly maxWorkers: number;
  readonly #settings: JudgeSettings;
  readonly #mode: JudgingMode;
  readonly #options: LLMJudgeOptions;
  #client: JudgeClient;
  #models: JudgeModels;

  constructor(options: LLMJudgeOptions) {
    const settings = resolveJudgeSettings(options);
    const { sources, rules, pair, scale, maxWorkers, perTurn } = settings;
    this.#options = options;
    this.#settings = settings;
    this.#mode = pair === null ? new ScoringMode(settings) : new PairwiseMode(settings, pair.against);
    this.#client = new JudgeClient(settings);
    this.#models = new JudgeModels(sources);
    this.scale = pair === null ? scale.name : "pairwise";
    this.maxWorkers = maxWorkers;
    this.fields = [
      SCORE_FIELD,
      ...rules.criteria.map(([name]) => toCriterionField(name)),
      ...(perTurn ? TURN_FIELDS : []),
      ...(sources.length > 1 ? [AGREEMENT_FIELD] : []),
    ];
  }

  async score(original: Example, processed: Output, context?: ScoreContext): Promise<Scored> {
    const { votes: _, ...scored } = await this.judge(original, processed, context);
    return scored;
  }

  /**
   * Like `score`, with each judge's vote.
   * @example
   * const { votes } = await judge.judge(example, output);
   */
  async judge(original: Example, processed: Output, context: ScoreContext = NO_CONTEXT): Promise<Judgement> {
    if (!this.#settings.perTurn) return this.#judgeOne({ original, processed }, context);
    const turns = splitTurns({ original, processed });
    if (typeof turns === "string") return { scores: {}, unscored: { [SCORE_FIELD]: turns }, votes: [] };
    // Waits for all even if one fails: a call still in progress would be billed after the row is done.
    const judged = turns.map((turn) => this.#judgeOne(turn, context));
    await Promise.allSettled(judged);
    return mergeTurns(await Promise.all(judged), omitTurnFields(this.fields));
  }

  /**
   * Creates a judge with the same models and other options. Both share the limit on concurrent calls, and closing one closes
   * the models of both.
   * @example
   * const comparing = judge.as({ pairwise: true });
   */
  as(way: Pick<LLMJudgeOptions, "pairwise" | "perTurn">): LLMJudge {
    const { scale, criteria, pairwise: _, perTurn: __, ...rest } = this.#options;
    const kept = way.pairwise === undefined || way.pairwise === false ? { scale, criteria } : {};
    const given = Object.entries(kept).filter(([, value]) => value !== undefined);
    const other = new LLMJudge({ ...rest, ...Object.fromEntries(given), ...way });
    other.#client = this.#client;
    other.#models = this.#models;
    return other;
  }

  /**
   * Estimates the cost of judging an output of an example; see `JudgingCost`.
   * @example
   * judge.estimate(example, { count: (text) => text.length / 4, answerTokens: 500 }); // { low: 0.0002, high: 0.0009 }
   */
  estimate(example: Example, options: EstimateOptions): JudgingCost {
    const { sources, perTurn } = this.#settings;
    return estimateJudgeCalls(example, { sources, perTurn, bench: this.#mode }, options);
  }

  async #judgeOne({ original, processed }: JudgedCase, context: ScoreContext): Promise<Judgement> {
    const obstacle = this.#mode.obstacle({ original, processed });
    if (obstacle !== null) return { scores: {}, unscored: this.#markUnscored(obstacle), votes: [] };
    const models = await this.#models.open();
    const votes = await Promise.all(models.map((open) => this.#vote(open, { original, processed }, context)));
    const { rules, panel } = this.#settings;
    const criteria = rules.criteria.map(([name]) => name);
    return combineVotes(votes, { criteria, panel });
  }

  /** Opens the models. Throws if a key is missing. */
  async prepare(): Promise<void> {
    await this.#models.open();
  }

  fingerprint(): unknown {
    const { sources, scale, rules, panel, pair, perTurn, reference } = this.#settings;
    return {
      evaluator: this.name,
      version: 1,
      prompt: PROMPT_VERSION,
      models: sources.map(computeModelFingerprint),
      scale: pair === null ? scale.name : undefined,
      rubric: rules.rubric,
      criteria: rules.criteria,
      panel: sources.length > 1 ? panel : undefined,
      perTurn: perTurn ? true : undefined,
      pairwise: pair === null ? undefined : String(pair.against ?? "baseline"),
      reference,
    };
  }

  /** Closes the connections of its models. The judge can be used again. */
  close(): Promise<void> {
    return this.#models.close();
  }

  /** If a judge's endpoint fails, the panel loses its vote; an abort stops all judges. */
  async #vote(open: OpenModel, trialled: JudgedCase, context: ScoreContext): Promise<JudgeVote> {
    const judge = open.model.name;
    try {
      return { judge, ...(await this.#mode.vote(trialled, { open, client: this.#client, context })) };
    } catch (error) {
      if (context.signal.aborted) throw context.signal.reason;
      return { judge, verdict: null, failure: getErrorMessage(error), isError: true };
    }
  }

  #markUnscored(reason: string): Record<string, string> {
    return Object.fromEntries(omitTurnFields(this.fields).map((field) => [field, reason]));
  }
}

/** The fields of a single judgment. */
function omitTurnFields(fields: readonly string[]): string[] {
  return fields.filter((field) => !TURN_FIELDS.includes(field));
}

/** For callers without an abort signal or a meter. */
const NO_CONTEXT: ScoreContext = Object.freeze({ signal: new AbortController().signal });
