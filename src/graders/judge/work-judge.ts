import * as z from "zod";
import { messageOf } from "../../core/errors.js";
import type { ScoreContext } from "../../core/evaluator.js";
import type { Example } from "../../core/example.js";
import type { Grade, Graded, GraderFactory, Verdict } from "../../core/grader.js";
import type { Output } from "../../core/system.js";
import { filled, readConfig } from "../config.js";
import { cannotTell } from "../own-grader.js";
import {
  ALL_USUAL_PARTS,
  LONGEST_PART,
  recordedText,
  usualParts,
  WORK_PARTS,
  type WorkPart,
  workText,
} from "../work-text.js";
import type { Prompt, Trialled } from "./bench.js";
import { type EstimateOptions, type JudgingCost, judgingCost } from "./estimate.js";
import { type ShownPart, workInstructions, workMessage } from "./grader-prompt.js";
import { type Interviewed, interview, type Question } from "./interview.js";
import type { JudgeModelSource } from "./judge-model.js";
import {
  criteriaForm,
  type Form,
  fieldOf,
  type Judgement,
  type Verdict as JudgeVerdict,
  type JudgeVote,
  SCORE_FIELD,
  scoreForm,
  weigh,
} from "./judgement.js";
import { referencesOf, taskOf } from "./material.js";
import type { ModelPool, PooledModel } from "./model-pool.js";
import { PANEL_RULES, type PanelRule } from "./panel.js";
import type { Rules } from "./prompt.js";
import { type JudgeScale, type Scale, scaleOf } from "./scale.js";

/** Has models judge the work of trials for one grader. */
export class WorkJudge {
  readonly #settings: GraderSettings;
  readonly #models: readonly PooledModel[];
  readonly #form: Form<JudgeVerdict>;
  readonly #system: string;
  #sources: readonly JudgeModelSource[] | null = null;

  constructor(settings: GraderSettings, pool: ModelPool) {
    const { rules, scale, models } = settings;
    const criteria = rules.criteria.map(([name]) => name);
    this.#settings = settings;
    this.#models = models.map((name) => pool.of(name));
    this.#form = criteria.length === 0 ? scoreForm(scale) : criteriaForm(criteria, scale);
    this.#system = workInstructions(rules, scale, this.#form);
  }

  /** Throws if too few judges could be reached. */
  async grade(graded: Graded): Promise<Verdict> {
    const work = await this.#shown(graded);
    const question = { form: this.#form, system: this.#system, message: this.#message(graded, work) };
    const asked = await this.#asked(contextOf(graded));
    const votes = await Promise.all(asked.map((one) => voteOf(one, question)));
    const { rules, panel } = this.#settings;
    const criteria = rules.criteria.map(([name]) => name);
    return verdictFrom(weigh(votes, { criteria, panel }), this.#settings);
  }

  #asked(context: ScoreContext): Promise<Interviewed[]> {
    return Promise.all(
      this.#models.map(
        async (model): Promise<Interviewed> => ({ open: await model.open(this), desk: model.desk, context }),
      ),
    );
  }

  /** Opens the models. Throws if a key is missing. */
  async prepare(): Promise<void> {
    await Promise.all(this.#models.map((model) => model.open(this)));
  }

  async close(): Promise<void> {
    await Promise.all(this.#models.map((model) => model.release(this)));
  }

  /** Finds the models and their prices. Requires no API key. */
  async findPrice(): Promise<void> {
    this.#sources = await Promise.all(this.#models.map((model) => model.source()));
  }

  /** Estimates the cost of judging one trial; unknown before `findPrice`. */
  estimate(example: Example, options: EstimateOptions): JudgingCost {
    if (this.#sources === null) return { low: null, high: null };
    const { evidence } = this.#settings;
    const prompt = (work: readonly ShownPart[], output: Output) => ({
      system: this.#system,
      message: this.#message({ example, output }, work),
    });
    return workCost(example, { sources: this.#sources, evidence, prompt }, options);
  }

  #message({ example, output }: Pick<Graded, "example" | "output">, work: readonly ShownPart[]): string {
    return workMessage({ task: taskOf(example, output), references: referencesOf(example), work }, this.#form);
  }

  /** Without an explicit selection, shows the default parts that exist. */
  async #shown(graded: Graded): Promise<ShownPart[]> {
    const shown: ShownPart[] = [];
    for (const part of this.#settings.evidence ?? usualParts(graded.output))
      shown.push({ part, text: await workText(part, graded) });
    return shown;
  }
}

function contextOf({ signal, meter }: Graded): ScoreContext {
  return { signal, ...(meter === undefined ? {} : { meter }) };
}

/** If a judge's endpoint fails, the panel loses its vote; an abort stops all judges. */
async function voteOf(asked: Interviewed, question: Question<JudgeVerdict>): Promise<JudgeVote> {
  const judge = asked.open.model.name;
  try {
    const heard = await interview(asked, question);
    return "said" in heard ? { judge, verdict: heard.said } : { judge, verdict: null, failure: heard.problem };
  } catch (error) {
    asked.context.signal.throwIfAborted();
    return { judge, verdict: null, failure: messageOf(error), isError: true };
  }
}

/** Tolerance for rounding: a mean of thirds that equals the threshold must reach it. */
const ROUNDING = 1e-12;

/** Converts a judgment to a verdict. Without a score the verdict is an error. */
function verdictFrom(judgement: Judgement, settings: GraderSettings): Verdict {
  const { scores, unscored = {} } = judgement;
  const score = scores[SCORE_FIELD];
  const details = detailsOf(judgement, settings);
  if (score === undefined) return cannotTell(silence(details) || (unscored[SCORE_FIELD] ?? "the judge gave no score"));
  return {
    passed: reaches(score, settings),
    score,
    evidence: details.length === 0 ? (judgement.evidence?.[SCORE_FIELD] ?? "") : told(details),
    ...(details.length === 0 ? {} : { details }),
  };
}

function reaches(score: number, { threshold }: GraderSettings): boolean {
  return score >= threshold - ROUNDING;
}

/** One grade per rubric line, plus one for the prompt next to a rubric; empty without a rubric. */
function detailsOf({ scores, evidence, unscored }: Judgement, settings: GraderSettings): Grade[] {
  return settings.rules.criteria.map(([criterion, text]) => {
    const field = fieldOf(criterion);
    const score = scores[field];
    const name = criterion === PROMPT_CRITERION ? criterion : text;
    const grade = { name, type: settings.type, kind: "llm" } as const;
    return score === undefined
      ? { ...grade, passed: false, score: 0, evidence: unscored?.[field] ?? "", status: "error" }
      : { ...grade, passed: reaches(score, settings), score, evidence: evidence?.[field] ?? "", status: "ok" };
  });
}

function silence(details: readonly Grade[]): string {
  return told(details.filter(({ status }) => status === "error"));
}

function told(details: readonly Grade[]): string {
  return details.map(({ name, evidence }) => `${name}: ${evidence}`).join("; ");
}

interface EstimatedWork {
  readonly sources: readonly JudgeModelSource[];
  readonly evidence: readonly WorkPart[] | null;
  /** Builds the prompt with the parts that are known. */
  readonly prompt: (work: readonly ShownPart[], output: Output) => Prompt;
}

/** Code and logs have more tokens per character than prose. */
const CHARACTERS_PER_TOKEN = 3;
const LONGEST_PART_TOKENS = LONGEST_PART / CHARACTERS_PER_TOKEN;

/**
 * Estimates judging the work of one trial: at least the task and the instructions, at most every part at its maximum
 * length. For a stored output everything is known except the files of its folder, which are left out.
 */
function workCost(example: Example, work: EstimatedWork, options: EstimateOptions): JudgingCost {
  const { sources, evidence, prompt } = work;
  const known = options.output === undefined ? [] : knownParts(evidence, example, options.output);
  const bench = { obstacle: () => null, prompts: ({ processed }: Trialled) => [prompt(known, processed)] };
  const answerTokens = longest(evidence, options);
  return judgingCost(example, { sources, bench, perTurn: false }, { ...options, answerTokens });
}

function longest(evidence: readonly WorkPart[] | null, { answerTokens }: EstimateOptions): number {
  const response = Math.min(answerTokens ?? Number.POSITIVE_INFINITY, LONGEST_PART_TOKENS);
  const tokens = (evidence ?? ALL_USUAL_PARTS).map((part) => (part === "response" ? response : LONGEST_PART_TOKENS));
  return tokens.reduce((total, each) => total + each, 0);
}

function knownParts(evidence: readonly WorkPart[] | null, example: Example, output: Output): ShownPart[] {
  const wanted = evidence ?? usualParts(output);
  return wanted.flatMap((part) => (part === "workspace" ? [] : textIn(part, example, output)));
}

/** A missing part ends the grading before a judge is asked, so it costs nothing. */
function textIn(part: Exclude<WorkPart, "workspace">, example: Example, output: Output): ShownPart[] {
  try {
    return [{ part, text: recordedText(part, { example, output }) }];
  } catch {
    return [];
  }
}

/** The settings of a grader that asks models. */
export interface GraderSettings {
  readonly type: "prompt" | "panel";
  /** Names from models.yml or of a provider. */
  readonly models: readonly string[];
  readonly rules: Rules;
  readonly scale: Scale;
  readonly panel: PanelRule;
  /** The score needed to pass. */
  readonly threshold: number;
  /** What the judge is shown; null for the answer, and the changes if there is a folder. */
  readonly evidence: readonly WorkPart[] | null;
}

const SCALES: Readonly<Record<"binary" | "scale_1_5" | "scale_1_10", JudgeScale>> = {
  binary: "binary",
  scale_1_5: "1-5",
  scale_1_10: "1-10",
};

const words = filled.refine((text) => text.trim() !== "", "must not be blank");
const part = z.enum(WORK_PARTS, `must be one of ${WORK_PARTS.join(", ")}, or a list of them`);

const shared = {
  prompt: words.optional(),
  rubric: z.array(words, "must be a list of strings").min(1, "must not be empty").optional(),
  scoring: z.enum(["binary", "scale_1_5", "scale_1_10"], "must be binary, scale_1_5 or scale_1_10").default("binary"),
  threshold: z.number("must be a number").min(0, "must be from 0 to 1").max(1, "must be from 0 to 1").default(0.5),
  evidence: z
    .preprocess(
      (given) => (typeof given === "string" ? [given] : given),
      z.array(part, `must be one of ${WORK_PARTS.join(", ")}, or a list of them`).min(1, "must not be empty"),
    )
    .optional(),
};

const promptConfig = z
  .strictObject({ ...shared, model: words.optional() })
  .superRefine(checkCriterion)
  .superRefine(({ model }, context) => {
    if (model === undefined) context.addIssue({ code: "custom", path: ["model"], message: NO_MODEL });
  });

const panelConfig = z
  .strictObject({
    ...shared,
    models: z.array(words, "must be a list of names").min(1, "must not be empty"),
    aggregation: z.enum(PANEL_RULES, "must be mean, median, majority or min").default("mean"),
  })
  .superRefine(checkCriterion)
  .superRefine(({ aggregation, scoring }, context) => {
    if (aggregation === "majority" && scoring !== "binary")
      context.addIssue({ code: "custom", path: ["aggregation"], message: NO_MAJORITY });
  });

const NO_MODEL =
  "is missing: name the judge model (PROVIDER/MODEL, or one from models.yml) here, or as defaults.judge_model in the eval file";
const NO_MAJORITY =
  "cannot be majority on a scale, where three judges may give three different scores: use median, mean or min";

function checkCriterion({ prompt, rubric }: Pick<Shared, "prompt" | "rubric">, context: z.RefinementCtx): void {
  if (prompt === undefined && rubric === undefined)
    context.addIssue({
      code: "custom",
      path: ["prompt"],
      message: "is missing: say what to judge, or give a rubric",
    });
}

type Shared = z.output<z.ZodObject<typeof shared>>;
type Config = Parameters<GraderFactory>[0];

export function promptSettings(config: Config): GraderSettings {
  const { model = "", ...read } = readConfig(promptConfig, config);
  return { type: "prompt", models: [model], panel: "mean", ...settingsFrom(read) };
}

export function panelSettings(config: Config): GraderSettings {
  const { models, aggregation, ...read } = readConfig(panelConfig, config);
  return { type: "panel", models, panel: aggregation, ...settingsFrom(read) };
}

function settingsFrom({ prompt, rubric = [], scoring, threshold, evidence }: Shared) {
  return {
    rules: rulesFrom(prompt, rubric),
    scale: scaleOf(SCALES[scoring]),
    threshold,
    evidence: evidence === undefined ? null : [...new Set(evidence)],
  };
}

/** The name of the criterion for the prompt when there is also a rubric. */
const PROMPT_CRITERION = "prompt";

/** Next to a rubric, the prompt is one more criterion. */
function rulesFrom(prompt: string | undefined, rubric: readonly string[]): Rules {
  if (rubric.length === 0) return { rubric: prompt, criteria: [] };
  const lines = rubric.map((text, index) => [`criterion_${index + 1}`, text] as const);
  return { rubric: undefined, criteria: prompt === undefined ? lines : [[PROMPT_CRITERION, prompt], ...lines] };
}
