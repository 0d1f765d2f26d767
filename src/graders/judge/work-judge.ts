import * as z from "zod";
import type { Effort, Example, Grade, Graded, GraderFactory, Output, ScoreContext, Verdict } from "../../core/index.js";
import { EFFORT_NAMES, getErrorMessage, omitUndefined } from "../../core/index.js";
import { makeErrorVerdict } from "../built-in-grader.js";
import { nonEmptyText, readConfig } from "../config.js";
import {
  DEFAULT_PARTS,
  MAX_PART_LENGTH,
  readRecordedPart,
  readWorkPart,
  selectDefaultParts,
  WORK_PARTS,
  type WorkPart,
} from "../work-text.js";
import { type EstimateOptions, estimateJudgeCalls, type JudgingCost } from "./estimate.js";
import { askJudge, type JudgeQuestion, type JudgeSession } from "./judge-client.js";
import type { JudgeModelSource } from "./judge-model.js";
import {
  type AnswerForm,
  combineVotes,
  createCriteriaForm,
  createScoreForm,
  type Judgement,
  type JudgeVerdict,
  type JudgeVote,
  PANEL_RULES,
  type PanelRule,
  SCORE_FIELD,
  toCriterionField,
} from "./judgement.js";
import type { JudgedCase, JudgePrompt } from "./judging-mode.js";
import { buildTaskMaterial, listReferences } from "./material.js";
import type { ModelPool, PooledModel } from "./model-pool.js";
import type { JudgingRules } from "./prompt.js";
import { buildWorkInstructions, buildWorkMessage, type WorkPartText } from "./prompt.js";
import { getScale, type JudgeScale, type Scale } from "./scale.js";

/** Has models judge the work of trials for one grader. */
export class WorkJudge {
  readonly #settings: JudgeGraderSettings;
  readonly #models: readonly PooledModel[];
  readonly #form: AnswerForm<JudgeVerdict>;
  readonly #system: string;
  #sources: readonly JudgeModelSource[] | null = null;

  constructor(settings: JudgeGraderSettings, pool: ModelPool) {
    const { rules, scale, models } = settings;
    const criteria = rules.criteria.map(([name]) => name);
    this.#settings = settings;
    this.#models = models.map((name) => pool.get(name, settings.effort));
    this.#form = criteria.length === 0 ? createScoreForm(scale) : createCriteriaForm(criteria, scale);
    this.#system = buildWorkInstructions(rules, scale, this.#form);
  }

  /** Throws if too few judges could be reached. */
  async grade(graded: Graded): Promise<Verdict> {
    const work = await this.#readParts(graded);
    const question = { form: this.#form, system: this.#system, message: this.#buildMessage(graded, work) };
    const asked = await this.#openSessions(toScoreContext(graded));
    const votes = await Promise.all(asked.map((one) => askForVote(one, question)));
    const { rules, panel } = this.#settings;
    const criteria = rules.criteria.map(([name]) => name);
    return toGraderVerdict(combineVotes(votes, { criteria, panel }), this.#settings);
  }

  #openSessions(context: ScoreContext): Promise<JudgeSession[]> {
    return Promise.all(
      this.#models.map(
        async (model): Promise<JudgeSession> => ({ open: await model.open(this), client: model.client, context }),
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
    const prompt = (work: readonly WorkPartText[], output: Output) => ({
      system: this.#system,
      message: this.#buildMessage({ example, output }, work),
    });
    return estimateWorkCost(example, { sources: this.#sources, evidence, prompt }, options);
  }

  #buildMessage({ example, output }: Pick<Graded, "example" | "output">, work: readonly WorkPartText[]): string {
    return buildWorkMessage(
      { task: buildTaskMaterial(example, output), references: listReferences(example), work },
      this.#form,
    );
  }

  /** Without an explicit selection, shows the default parts that exist. */
  async #readParts(graded: Graded): Promise<WorkPartText[]> {
    const shown: WorkPartText[] = [];
    for (const part of this.#settings.evidence ?? selectDefaultParts(graded.output))
      shown.push({ part, text: await readWorkPart(part, graded) });
    return shown;
  }
}

function toScoreContext({ signal, meter, trial }: Graded): ScoreContext {
  return { signal, ...omitUndefined({ meter, trial }) };
}

/** If a judge's endpoint fails, the panel loses its vote; an abort stops all judges. */
async function askForVote(asked: JudgeSession, question: JudgeQuestion<JudgeVerdict>): Promise<JudgeVote> {
  const judge = asked.open.model.name;
  try {
    const heard = await askJudge(asked, question);
    return "said" in heard ? { judge, verdict: heard.said } : { judge, verdict: null, failure: heard.problem };
  } catch (error) {
    asked.context.signal.throwIfAborted();
    return { judge, verdict: null, failure: getErrorMessage(error), isError: true };
  }
}

/** Tolerance for rounding: a mean of thirds that equals the threshold must reach it. */
const ROUNDING = 1e-12;

/** Converts a judgment to a verdict. Without a score the verdict is an error. */
function toGraderVerdict(judgement: Judgement, settings: JudgeGraderSettings): Verdict {
  const { scores, unscored = {} } = judgement;
  const score = scores[SCORE_FIELD];
  const details = listDetails(judgement, settings);
  if (score === undefined)
    return makeErrorVerdict(describeUnanswered(details) || (unscored[SCORE_FIELD] ?? "the judge gave no score"));
  return {
    passed: isPassingScore(score, settings),
    score,
    evidence: details.length === 0 ? (judgement.evidence?.[SCORE_FIELD] ?? "") : joinDetails(details),
    ...(details.length === 0 ? {} : { details }),
  };
}

function isPassingScore(score: number, { threshold }: JudgeGraderSettings): boolean {
  return score >= threshold - ROUNDING;
}

/** One grade per rubric line, plus one for the prompt next to a rubric; empty without a rubric. */
function listDetails({ scores, evidence, unscored }: Judgement, settings: JudgeGraderSettings): Grade[] {
  return settings.rules.criteria.map(([criterion, text]) => {
    const field = toCriterionField(criterion);
    const score = scores[field];
    const name = criterion === PROMPT_CRITERION ? criterion : text;
    const grade = { name, type: settings.type, kind: "llm" } as const;
    return score === undefined
      ? { ...grade, passed: false, score: 0, evidence: unscored?.[field] ?? "", status: "error" }
      : { ...grade, passed: isPassingScore(score, settings), score, evidence: evidence?.[field] ?? "", status: "ok" };
  });
}

function describeUnanswered(details: readonly Grade[]): string {
  return joinDetails(details.filter(({ status }) => status === "error"));
}

function joinDetails(details: readonly Grade[]): string {
  return details.map(({ name, evidence }) => `${name}: ${evidence}`).join("; ");
}

interface WorkCostInput {
  readonly sources: readonly JudgeModelSource[];
  readonly evidence: readonly WorkPart[] | null;
  /** Builds the prompt with the parts that are known. */
  readonly prompt: (work: readonly WorkPartText[], output: Output) => JudgePrompt;
}

/** Code and logs have more tokens per character than prose. */
const CHARACTERS_PER_TOKEN = 3;
const MAX_PART_TOKENS = MAX_PART_LENGTH / CHARACTERS_PER_TOKEN;

/**
 * Estimates judging the work of one trial: at least the task and the instructions, at most every part at its maximum
 * length. For a stored output everything is known except the files of its folder, which are left out.
 */
function estimateWorkCost(example: Example, work: WorkCostInput, options: EstimateOptions): JudgingCost {
  const { sources, evidence, prompt } = work;
  const known = options.output === undefined ? [] : listKnownParts(evidence, example, options.output);
  const bench = { obstacle: () => null, prompts: ({ processed }: JudgedCase) => [prompt(known, processed)] };
  const answerTokens = estimateMaxTokens(evidence, options);
  return estimateJudgeCalls(example, { sources, bench, perTurn: false }, { ...options, answerTokens });
}

function estimateMaxTokens(evidence: readonly WorkPart[] | null, { answerTokens }: EstimateOptions): number {
  const response = Math.min(answerTokens ?? Number.POSITIVE_INFINITY, MAX_PART_TOKENS);
  const tokens = (evidence ?? DEFAULT_PARTS).map((part) => (part === "response" ? response : MAX_PART_TOKENS));
  return tokens.reduce((total, each) => total + each, 0);
}

function listKnownParts(evidence: readonly WorkPart[] | null, example: Example, output: Output): WorkPartText[] {
  const wanted = evidence ?? selectDefaultParts(output);
  return wanted.flatMap((part) => (part === "workspace" ? [] : tryReadPart(part, example, output)));
}

/** A missing part ends the grading before a judge is asked, so it costs nothing. */
function tryReadPart(part: Exclude<WorkPart, "workspace">, example: Example, output: Output): WorkPartText[] {
  try {
    return [{ part, text: readRecordedPart(part, { example, output }) }];
  } catch {
    return [];
  }
}

/** The settings of a grader that asks models. */
export interface JudgeGraderSettings {
  readonly type: "prompt" | "panel";
  /** Names from models.yml or of a provider. */
  readonly models: readonly string[];
  /** How much they think; null for the model's own. */
  readonly effort: Effort | null;
  readonly rules: JudgingRules;
  readonly scale: Scale;
  readonly panel: PanelRule;
  /** The score needed to pass. */
  readonly threshold: number;
  /** What the judge is shown; null for the answer, and the changes if there is a folder. */
  readonly evidence: readonly WorkPart[] | null;
}

const SCORING_SCALES: Readonly<Record<"binary" | "scale_1_5" | "scale_1_10", JudgeScale>> = {
  binary: "binary",
  scale_1_5: "1-5",
  scale_1_10: "1-10",
};

const nonBlankText = nonEmptyText.refine((text) => text.trim() !== "", "must not be blank");
const partSchema = z.enum(WORK_PARTS, `must be one of ${WORK_PARTS.join(", ")}, or a list of them`);

const effortSchema = z.union([z.enum(EFFORT_NAMES), z.number().int().min(1)], {
  error: `must be ${EFFORT_NAMES.join(", ")}, or a number of thinking tokens`,
});

const sharedConfig = {
  effort: effortSchema.optional(),
  prompt: nonBlankText.optional(),
  rubric: z.array(nonBlankText, "must be a list of strings").min(1, "must not be empty").optional(),
  scoring: z.enum(["binary", "scale_1_5", "scale_1_10"], "must be binary, scale_1_5 or scale_1_10").default("binary"),
  threshold: z.number("must be a number").min(0, "must be from 0 to 1").max(1, "must be from 0 to 1").default(0.5),
  evidence: z
    .preprocess(
      (given) => (typeof given === "string" ? [given] : given),
      z.array(partSchema, `must be one of ${WORK_PARTS.join(", ")}, or a list of them`).min(1, "must not be empty"),
    )
    .optional(),
};

const promptConfig = z
  .strictObject({ ...sharedConfig, model: nonBlankText.optional() })
  .superRefine(checkPromptOrRubric)
  .superRefine(({ model }, context) => {
    if (model === undefined) context.addIssue({ code: "custom", path: ["model"], message: NO_MODEL });
  });

const panelConfig = z
  .strictObject({
    ...sharedConfig,
    models: z.array(nonBlankText, "must be a list of names").min(1, "must not be empty"),
    aggregation: z.enum(PANEL_RULES, "must be mean, median, majority or min").default("mean"),
  })
  .superRefine(checkPromptOrRubric)
  .superRefine(({ aggregation, scoring }, context) => {
    if (aggregation === "majority" && scoring !== "binary")
      context.addIssue({ code: "custom", path: ["aggregation"], message: NO_MAJORITY });
  });

const NO_MODEL =
  "is missing: name the judge model (PROVIDER/MODEL, or one from models.yml) here, or as defaults.judge_model in the eval file";
const NO_MAJORITY =
  "cannot be majority on a scale, where three judges may give three different scores: use median, mean or min";

function checkPromptOrRubric(
  { prompt, rubric }: Pick<SharedConfig, "prompt" | "rubric">,
  context: z.RefinementCtx,
): void {
  if (prompt === undefined && rubric === undefined)
    context.addIssue({
      code: "custom",
      path: ["prompt"],
      message: "is missing: say what to judge, or give a rubric",
    });
}

type SharedConfig = z.output<z.ZodObject<typeof sharedConfig>>;
type JudgeGraderConfig = Parameters<GraderFactory>[0];

export function readPromptSettings(config: JudgeGraderConfig): JudgeGraderSettings {
  const { model = "", ...read } = readConfig(promptConfig, config);
  return { type: "prompt", models: [model], panel: "mean", ...toSharedSettings(read) };
}

export function readPanelSettings(config: JudgeGraderConfig): JudgeGraderSettings {
  const { models, aggregation, ...read } = readConfig(panelConfig, config);
  return { type: "panel", models, panel: aggregation, ...toSharedSettings(read) };
}

function toSharedSettings({ prompt, rubric = [], scoring, threshold, evidence, effort }: SharedConfig) {
  return {
    effort: effort ?? null,
    rules: buildRules(prompt, rubric),
    scale: getScale(SCORING_SCALES[scoring]),
    threshold,
    evidence: evidence === undefined ? null : [...new Set(evidence)],
  };
}

/** The name of the criterion for the prompt when there is also a rubric. */
const PROMPT_CRITERION = "prompt";

/** Next to a rubric, the prompt is one more criterion. */
function buildRules(prompt: string | undefined, rubric: readonly string[]): JudgingRules {
  if (rubric.length === 0) return { rubric: prompt, criteria: [] };
  const lines = rubric.map((text, index) => [`criterion_${index + 1}`, text] as const);
  return { rubric: undefined, criteria: prompt === undefined ? lines : [[PROMPT_CRITERION, prompt], ...lines] };
}
