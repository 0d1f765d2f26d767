import type { Example } from "../../core/index.js";
import { DEFAULT_RETRY, describeValue, type RetryPolicy, UsageError } from "../../core/index.js";
import { type JudgeModelSource, requireJudgeModel } from "./judge-model.js";
import { PANEL_RULES, type PanelRule } from "./judgement.js";
import type { JudgingRules } from "./prompt.js";
import { getScale, isScale, type JudgeScale, SCALE_NAMES, type Scale } from "./scale.js";

/** Options of `LLMJudge`. */
export interface LLMJudgeOptions {
  /** The single model that judges. */
  model?: JudgeModelSource;
  /** Or several models that judge as a panel. */
  models?: readonly JudgeModelSource[];
  /** The scale of the answers, mapped linearly to [0, 1]. Default: `"binary"`. */
  scale?: JudgeScale;
  /** What a good answer is. Default: it is correct and does what was asked. */
  rubric?: string;
  /** A rubric for each criterion. Each gets a field `judge_<criterion>`, and `judge_score` is their mean. */
  criteria?: Readonly<Record<string, string>>;
  /** How the scores of a panel are combined. `"majority"` requires the binary scale or pairs. Default: `"mean"`. */
  panel?: PanelRule;
  /**
   * Compares the response with another answer in both orders instead of scoring it: with the example's `baseline`, otherwise
   * its gold answer, or with the field or function given as `against`.
   */
  pairwise?: boolean | { against: string | ((example: Example) => string | undefined) };
  /**
   * Judges each turn of a conversation together with the turns before it. Each turn has a field `judge_turn_<n>`, and
   * `judge_score` is their mean.
   */
  perTurn?: boolean;
  /** Whether to show the gold answers; if true, a row without one is not scored. Default: show them if there are any. */
  reference?: boolean;
  /** Maximum number of concurrent calls. Default: 8. */
  maxWorkers?: number;
  retry?: Partial<RetryPolicy>;
  /** Returns a number in [0, 1), for jitter. */
  random?: () => number;
}

/** What the response is compared with: a field of the example, or a function of it. */
export type ComparisonTarget = string | ((example: Example) => string | undefined);

/** Validated options. */
export interface JudgeSettings {
  readonly sources: readonly JudgeModelSource[];
  readonly scale: Scale;
  readonly rules: JudgingRules;
  readonly panel: PanelRule;
  /** Null if answers are scored one by one. */
  readonly pair: { readonly against: ComparisonTarget | null } | null;
  readonly perTurn: boolean;
  readonly reference: boolean | undefined;
  readonly maxWorkers: number;
  readonly retry: RetryPolicy;
  readonly random: () => number;
}

/** Validates the options of a judge. */
export function resolveJudgeSettings(options: LLMJudgeOptions): JudgeSettings {
  const { scale = "binary", rubric, criteria = {}, panel = "mean", pairwise, maxWorkers = 8 } = options;
  if (!isScale(scale)) throw createUnknownOptionError("scale", scale, SCALE_NAMES);
  if (!PANEL_RULES.includes(panel)) throw createUnknownOptionError("panel", panel, PANEL_RULES);
  if (!Number.isSafeInteger(maxWorkers) || maxWorkers < 1)
    throw new UsageError(`maxWorkers must be a whole number of at least 1, but is ${describeValue(maxWorkers)}.`);
  if (rubric !== undefined) requireRubric("The rubric", rubric);
  const rules = { rubric, criteria: requireCriteria(criteria) };
  const pair = resolvePairwise(pairwise);
  requireValidCombination(options, { isPair: pair !== null, scale, panel });
  return {
    sources: requireSources(options),
    scale: getScale(scale),
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

function requireSources({ model, models = [] }: LLMJudgeOptions): JudgeModelSource[] {
  const all = [...(model === undefined ? [] : [model]), ...models];
  if (all.length === 0) throw new UsageError("A judge needs a model. Give it one as model, or several as models.");
  return all.map(requireJudgeModel);
}

/** The name becomes a score field and a JSON key. */
const CRITERION_NAME = /^[A-Za-z][\w-]{0,40}$/;

function requireCriteria(criteria: Readonly<Record<string, string>>): [string, string][] {
  const entries = Object.entries(criteria);
  for (const [name, rubric] of entries) {
    if (!CRITERION_NAME.test(name) || ["score", "agreement"].includes(name))
      throw new UsageError(
        `The criterion ${JSON.stringify(name)} cannot be a field name. Use letters, digits and underscores, but not "score" or "agreement".`,
      );
    requireRubric(`The criterion "${name}"`, rubric);
  }
  return entries;
}

function requireRubric(what: string, rubric: unknown): void {
  if (typeof rubric === "string" && rubric.trim() !== "") return;
  throw new UsageError(`${what} must describe what a good answer is, but is ${describeValue(rubric)}.`);
}

function resolvePairwise(pairwise: LLMJudgeOptions["pairwise"]): JudgeSettings["pair"] {
  if (pairwise === undefined || pairwise === false) return null;
  if (pairwise === true) return { against: null };
  const { against } = pairwise;
  if (typeof against === "function" || (typeof against === "string" && against !== "")) return { against };
  throw new UsageError(
    `pairwise.against must be the name of a field of the example or a function of it, but is ${describeValue(against)}.`,
  );
}

/** The options that restrict each other. */
interface OptionCombination {
  readonly isPair: boolean;
  readonly scale: JudgeScale;
  readonly panel: PanelRule;
}

function requireValidCombination(options: LLMJudgeOptions, { isPair, scale, panel }: OptionCombination): void {
  if (isPair && options.scale !== undefined)
    throw new UsageError("A pairwise judge says which answer is better and has no scale. Leave scale out.");
  if (isPair && Object.keys(options.criteria ?? {}).length > 0)
    throw new UsageError("A pairwise judge takes a rubric, not criteria. Write them into the rubric.");
  if (isPair && options.perTurn === true)
    throw new UsageError("A judge compares whole answers or scores single turns. Leave pairwise or perTurn out.");
  if (options.perTurn === true && Object.keys(options.criteria ?? {}).some((name) => /^turn_\d+$/.test(name)))
    throw new UsageError("A criterion named turn_1 would clash with the field of a turn. Rename it.");
  if (panel === "majority" && !isPair && scale !== "binary")
    throw new UsageError(
      `On the scale ${scale} three judges may give three different scores, so that none has a majority. Use panel "median", "mean" or "min".`,
    );
}

function createUnknownOptionError(option: string, value: unknown, known: readonly string[]): UsageError {
  const shown = typeof value === "string" ? JSON.stringify(value.slice(0, 60)) : `(${describeValue(value)})`;
  const last = known.at(-1) ?? "";
  return new UsageError(`Unknown ${option} ${shown}. Use ${known.slice(0, -1).join(", ")} or ${last}.`);
}
