import { UsageError } from "../../core/errors.js";
import type { Example } from "../../core/example.js";
import { DEFAULT_RETRY, type RetryPolicy } from "../../core/retry.js";
import { describe } from "../../core/shape.js";
import { type JudgeModelSource, requireModel } from "./judge-model.js";
import { PANEL_RULES, type PanelRule } from "./panel.js";
import type { Rules } from "./prompt.js";
import { isScale, type JudgeScale, SCALE_NAMES, type Scale, scaleOf } from "./scale.js";

/** Options of `LLMJudge`. */
export interface LLMJudgeOptions {
  /** The one model that judges. */
  model?: JudgeModelSource;
  /** Or several, which judge as a panel. */
  models?: readonly JudgeModelSource[];
  /** What the judge answers on, mapped linearly to [0, 1]; `"binary"` unless told. */
  scale?: JudgeScale;
  /** What a good answer is; that it is correct and does what was asked unless told. */
  rubric?: string;
  /** A rubric for each criterion. Each gets a field `judge_<criterion>`, and `judge_score` is their mean. */
  criteria?: Readonly<Record<string, string>>;
  /** How the scores of a panel become one; `"mean"` unless told. `"majority"` is for the binary scale and for pairs. */
  panel?: PanelRule;
  /**
   * Compares the response with another in both orders, instead of scoring it: with the example's `baseline`, else its
   * gold answer, or with what `against` names or returns.
   */
  pairwise?: boolean | { against: string | ((example: Example) => string | undefined) };
  /**
   * Judges each turn of a conversation with what was said before it. Each has a field `judge_turn_<n>`, and
   * `judge_score` is their mean.
   */
  perTurn?: boolean;
  /** Whether the gold answers are shown: where there are any unless told. True: a row without one is not scored. */
  reference?: boolean;
  /** Calls of this judge at a time; 8 unless told. */
  maxWorkers?: number;
  retry?: Partial<RetryPolicy>;
  /** In [0, 1), for the spread of the waits. */
  random?: () => number;
}

/** What the response is compared with: a field of the example, or what a function makes of it. */
export type Against = string | ((example: Example) => string | undefined);

/** Options that were checked. */
export interface JudgeSettings {
  readonly sources: readonly JudgeModelSource[];
  readonly scale: Scale;
  readonly rules: Rules;
  readonly panel: PanelRule;
  /** Null when answers are scored one by one. */
  readonly pair: { readonly against: Against | null } | null;
  readonly perTurn: boolean;
  readonly reference: boolean | undefined;
  readonly maxWorkers: number;
  readonly retry: RetryPolicy;
  readonly random: () => number;
}

/** Checks the options of a judge. */
export function settingsOf(options: LLMJudgeOptions): JudgeSettings {
  const { scale = "binary", rubric, criteria = {}, panel = "mean", pairwise, maxWorkers = 8 } = options;
  if (!isScale(scale)) throw unknown("scale", scale, SCALE_NAMES);
  if (!PANEL_RULES.includes(panel)) throw unknown("panel", panel, PANEL_RULES);
  if (!Number.isSafeInteger(maxWorkers) || maxWorkers < 1)
    throw new UsageError(`maxWorkers must be a whole number of at least 1, but is ${describe(maxWorkers)}.`);
  if (rubric !== undefined) requireRubric("The rubric", rubric);
  const rules = { rubric, criteria: criteriaOf(criteria) };
  const pair = pairOf(pairwise);
  requireCombination(options, { isPair: pair !== null, scale, panel });
  return {
    sources: sourcesOf(options),
    scale: scaleOf(scale),
    rules,
    panel,
    pair,
    perTurn: options.perTurn === true,
    reference: options.reference,
    maxWorkers,
    retry: { ...DEFAULT_RETRY, ...options.retry },
    random: options.random ?? Math.random,
  };
}

function sourcesOf({ model, models = [] }: LLMJudgeOptions): JudgeModelSource[] {
  const all = [...(model === undefined ? [] : [model]), ...models];
  if (all.length === 0) throw new UsageError("A judge needs a model. Give it one as model, or several as models.");
  return all.map(requireModel);
}

/** A name that becomes a field and a key of JSON. */
const CRITERION = /^[A-Za-z][\w-]{0,40}$/;

function criteriaOf(criteria: Readonly<Record<string, string>>): [string, string][] {
  const entries = Object.entries(criteria);
  for (const [name, rubric] of entries) {
    if (!CRITERION.test(name) || ["score", "agreement"].includes(name))
      throw new UsageError(
        `The criterion ${JSON.stringify(name)} cannot be a field. Use letters, digits and underscores, and neither "score" nor "agreement".`,
      );
    requireRubric(`The criterion "${name}"`, rubric);
  }
  return entries;
}

function requireRubric(what: string, rubric: unknown): void {
  if (typeof rubric === "string" && rubric.trim() !== "") return;
  throw new UsageError(`${what} must say in words what a good answer is, but is ${describe(rubric)}.`);
}

function pairOf(pairwise: LLMJudgeOptions["pairwise"]): JudgeSettings["pair"] {
  if (pairwise === undefined || pairwise === false) return null;
  if (pairwise === true) return { against: null };
  const { against } = pairwise;
  if (typeof against === "function" || (typeof against === "string" && against !== "")) return { against };
  throw new UsageError(
    `pairwise.against must name a field of the example or be a function of it, but is ${describe(against)}.`,
  );
}

/** What was asked for, as far as it decides what else may be. */
interface Combination {
  readonly isPair: boolean;
  readonly scale: JudgeScale;
  readonly panel: PanelRule;
}

function requireCombination(options: LLMJudgeOptions, { isPair, scale, panel }: Combination): void {
  if (isPair && options.scale !== undefined)
    throw new UsageError("A pairwise judge says which answer is better and has no scale. Leave scale out.");
  if (isPair && Object.keys(options.criteria ?? {}).length > 0)
    throw new UsageError("A pairwise judge takes a rubric, not criteria. Write them into the rubric.");
  if (isPair && options.perTurn === true)
    throw new UsageError("A judge compares whole answers or scores single turns. Leave pairwise or perTurn out.");
  if (options.perTurn === true && Object.keys(options.criteria ?? {}).some((name) => /^turn_\d+$/.test(name)))
    throw new UsageError("A criterion called turn_1 would have the field of a turn. Call it something else.");
  if (panel === "majority" && !isPair && scale !== "binary")
    throw new UsageError(
      `On the scale ${scale} three judges may give three different scores, of which none has a majority. Use panel "median", "mean" or "min".`,
    );
}

function unknown(option: string, value: unknown, known: readonly string[]): UsageError {
  const shown = typeof value === "string" ? JSON.stringify(value.slice(0, 60)) : `that is ${describe(value)}`;
  const last = known.at(-1) ?? "";
  return new UsageError(`There is no ${option} ${shown}. Use ${known.slice(0, -1).join(", ")} or ${last}.`);
}
