import * as z from "zod";
import type { GraderFactory } from "../../core/grader.js";
import { filled, readConfig } from "../config.js";
import { WORK_PARTS, type WorkPart } from "../work-text.js";
import { PANEL_RULES, type PanelRule } from "./panel.js";
import type { Rules } from "./prompt.js";
import { type JudgeScale, type Scale, scaleOf } from "./scale.js";

/** How a grader that asks models is set. */
export interface GraderSettings {
  readonly type: "prompt" | "panel";
  /** Names, as models.yml or a provider have them. */
  readonly models: readonly string[];
  readonly rules: Rules;
  readonly scale: Scale;
  readonly panel: PanelRule;
  /** The score that passing takes. */
  readonly threshold: number;
  /** What the judge is shown; null for the answer, and what was changed where there is a folder. */
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
  rubric: z.array(words, "must be a list of texts").min(1, "must not be empty").optional(),
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
  "is missing: name the model that judges, PROVIDER/MODEL or one of models.yml, here or as defaults.judge_model of the eval file";
const NO_MAJORITY =
  "cannot be majority on a scale, where three judges may say three different things: use median, mean or min";

/** A judge has to be told what a good result is. */
function checkCriterion({ prompt, rubric }: Pick<Shared, "prompt" | "rubric">, context: z.RefinementCtx): void {
  if (prompt === undefined && rubric === undefined)
    context.addIssue({
      code: "custom",
      path: ["prompt"],
      message: "is missing: say what is to be judged, or give a rubric",
    });
}

type Shared = z.output<z.ZodObject<typeof shared>>;
type Config = Parameters<GraderFactory>[0];

/** The settings of a grader that asks one model. */
export function promptSettings(config: Config): GraderSettings {
  const { model = "", ...read } = readConfig(promptConfig, config);
  return { type: "prompt", models: [model], panel: "mean", ...settingsFrom(read) };
}

/** The settings of a grader that asks several models. */
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

/** The criterion that the prompt is where there is a rubric besides. */
export const PROMPT_CRITERION = "prompt";

/** Beside a rubric the prompt is one more criterion: what it asks must not go unanswered. */
function rulesFrom(prompt: string | undefined, rubric: readonly string[]): Rules {
  if (rubric.length === 0) return { rubric: prompt, criteria: [] };
  const lines = rubric.map((text, index) => [`criterion_${index + 1}`, text] as const);
  return { rubric: undefined, criteria: prompt === undefined ? lines : [[PROMPT_CRITERION, prompt], ...lines] };
}
