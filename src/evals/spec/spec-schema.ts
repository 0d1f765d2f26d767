import * as z from "zod";
import { AGENT_NAMES } from "../../budget/rules.js";
import {
  amount,
  count,
  duration,
  filled,
  flag,
  listOf,
  mapping,
  number,
  oneOf,
  positive,
  recordOf,
  share,
  text,
} from "./fields.js";
import { environmentOrName } from "./spec-environment.js";

/** More of one stimulus tell nothing more, and are a slip of the pen. */
const MOST_RUNS = 10_000;

export const defaultsSchema = mapping({
  runs: positive
    .max(MOST_RUNS, `must be at most ${MOST_RUNS}`)
    .optional()
    .describe("Trials of each stimulus; 1 unless given."),
  timeout: duration.optional().describe('A trial is stopped after this long, such as "2m".'),
  model: z
    .union([filled, listOf(filled).min(1, "is an empty list: name a model, or remove the line")], {
      error: "must be the name of a model, or a list of names",
    })
    .optional()
    .describe("The model of the agent, or several, each of which is measured."),
  executor: filled.optional().describe(`The agent: ${AGENT_NAMES.join(", ")}, or a command with {prompt} in it.`),
  judge_model: filled.optional().describe("The model of graders that ask one and do not name it."),
  max_cost_usd: number
    .min(0, "must not be negative")
    .optional()
    .describe("The most that one trial may cost; 0 for no limit."),
});

export const graderSchema = mapping({
  type: filled.describe("What kind of grader it is, such as file-exists."),
  config: recordOf(z.unknown()).optional().describe("Its settings."),
  name: filled.optional().describe("Its own, where there are several of one type."),
  required: flag.optional().describe("The trial passes only when this one does."),
  weight: amount.optional().describe("In the score of the trial; 0 reports it only."),
});

export const constraintsSchema = mapping({
  max_turns: count.optional().describe("The most turns of the agent."),
  max_tokens: count.optional().describe("The most tokens, of all classes together."),
  max_tool_calls: count.optional().describe("The most calls of tools."),
  max_duration: duration.optional().describe('The longest that a trial may take, such as "2m".'),
  expect_tools: listOf(filled).optional().describe("Patterns of tool names, each of which has to be called."),
  reject_tools: listOf(filled).optional().describe("Patterns of tool names, none of which may be called."),
  expect_skills: listOf(filled).optional().describe("Skills that have to be activated."),
  reject_skills: listOf(filled).optional().describe("Skills that must not be activated."),
});

export const turnSchema = mapping({
  role: filled.describe("Who says it: user or assistant."),
  content: filled.describe("What is said."),
});
export const patchSchema = mapping({ path: filled.describe("A patch in the format of git, relative to this file.") });

const word = z.union([text, number, flag], { error: "must be a text, a number, true or false" });
const tagsSchema = z
  .union(
    [
      z.record(z.string(), z.union([word, listOf(word)], { error: "must be a value or a list of values" })),
      listOf(filled),
    ],
    {
      error: "must be a mapping of names to values, or a list of names",
    },
  )
  .describe("What stimuli are chosen by: --tag area=js.");

export const stimulusSchema = mapping({
  name: filled.describe("What it is called in reports; different from all others."),
  prompt: filled.optional().describe("What the agent is asked."),
  turns: listOf(z.union([filled, turnSchema], { error: "must be a text, or { role, content }" }))
    .optional()
    .describe("Instead of a prompt: a conversation, of which the last turn is what is asked."),
  tags: tagsSchema.optional(),
  rubric: listOf(filled).optional().describe("What a judge looks for."),
  constraints: constraintsSchema.optional().describe("Each one is a check that has to pass."),
  environment: environmentOrName.optional().describe("Added to that of the file."),
  golden_patch: z
    .union([filled, patchSchema], { error: "must be a path, or { path }" })
    .optional()
    .describe("A solution, for assay oracle."),
  graders: listOf(graderSchema).optional().describe("Graders of this stimulus, after those of the file."),
  threshold: share.optional().describe("What the score of a trial must reach; that of scoring unless given."),
});

export const triggersSchema = mapping({
  should: listOf(filled).optional().describe("Prompts on which the skill should be activated."),
  should_not: listOf(filled).optional().describe("Prompts on which it should not."),
  tags: tagsSchema.optional(),
});

export const scoringSchema = mapping({
  threshold: share.optional().describe("What the score of a trial must reach; all graders have to pass unless given."),
  weights: recordOf(amount).optional().describe("Weights of graders by their type, where they have none of their own."),
});

const OPS = [">=", "<=", ">", "<", "=="] as const;

export const gateSchema = mapping({
  metric: filled.describe("A key of the summary, such as pass_hat_3."),
  op: z
    .enum(OPS, { error: ({ input }) => `is ${JSON.stringify(input)}, but must be one of ${OPS.join(" ")}` })
    .describe("How the metric is compared with the value."),
  value: number.describe("What the metric is compared with."),
});

/** An eval file in our own spelling, as it stands in the file. */
export const specSchema = mapping({
  $schema: text.optional().describe("The JSON Schema of this file, for editors."),
  name: filled.optional().describe("What the eval is called; the name of its folder or file unless given."),
  description: text.optional().describe("What the eval is about."),
  type: oneOf(["capability", "regression"])
    .optional()
    .describe("Whether it asks what can be done at all, or whether what could be done still can."),
  skill: filled.optional().describe("The skill under test: a folder with a SKILL.md. It has to be offered, too."),
  defaults: defaultsSchema.optional().describe("How the eval is run where the command does not say."),
  environment: environmentOrName.optional().describe("The place the agent works in, for all stimuli."),
  graders: listOf(graderSchema).optional().describe("Graders of every stimulus, before its own."),
  stimuli: listOf(stimulusSchema).optional().describe("What the agent is asked."),
  triggers: triggersSchema.optional().describe("Prompts that test when the skill is activated."),
  scoring: scoringSchema.optional().describe("How the grades of a trial become its score, and when it passes."),
  gate: z
    .union([gateSchema, listOf(gateSchema)], { error: "must be { metric, op, value }, or a list of them" })
    .optional()
    .describe("What decides the exit code."),
});

export type RawSpec = z.output<typeof specSchema>;
export type RawStimulus = z.output<typeof stimulusSchema>;
export type RawGrader = z.output<typeof graderSchema>;
export type RawConstraints = z.output<typeof constraintsSchema>;
export type RawTags = z.output<typeof tagsSchema>;
export type RawDefaults = z.output<typeof defaultsSchema>;
