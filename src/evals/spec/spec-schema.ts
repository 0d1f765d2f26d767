import * as z from "zod";
import { ALL_AGENT_NAMES } from "../../budget/index.js";
import { EFFORT_NAMES } from "../../core/index.js";
import {
  amount,
  count,
  createEnumField,
  createListField,
  createMappingField,
  createRecordField,
  duration,
  filled,
  flag,
  number,
  positive,
  share,
  text,
} from "./fields.js";
import { environmentOrNameSchema } from "./spec-environment.js";

const effortError = { error: `must be ${EFFORT_NAMES.join(", ")}, or a number of thinking tokens` };
const effort = z.union(
  [z.enum(EFFORT_NAMES, effortError), z.number(effortError).int(effortError).min(1, effortError)],
  effortError,
);

/** More trials of one test case add nothing and are most likely a typo. */
const MAX_RUNS = 10_000;

const runs = positive.max(MAX_RUNS, `must be at most ${MAX_RUNS}`);
const dollars = number.min(0, "must not be negative");

export const defaultsSchema = createMappingField({
  runs: runs.optional().describe("Trials of each test case. Default: 1."),
  timeout: duration.optional().describe('Trials are stopped after this time, such as "2m".'),
  model: z
    .union([filled, createListField(filled).min(1, "is an empty list: name a model, or remove the line")], {
      error: "must be the name of a model, or a list of names",
    })
    .optional()
    .describe("The model of the agent, or several, each of which is measured."),
  effort: z
    .union([effort, createListField(effort).min(1, "is an empty list: name an effort, or remove the line")], {
      error: `must be ${EFFORT_NAMES.join(", ")}, a number of thinking tokens, or a list of them`,
    })
    .optional()
    .describe("How much the model of the agent thinks, or several efforts, each of which is measured."),
  executor: filled.optional().describe(`The agent: ${ALL_AGENT_NAMES.join(", ")}, or a command with {prompt} in it.`),
  judge_model: filled.optional().describe("The model of graders that ask one and do not name it."),
  judge_effort: effort.optional().describe("How much the model of graders that ask one thinks."),
  max_cost_usd: dollars.optional().describe("Maximum cost of one trial; 0 for no limit."),
});

export const graderSchema = createMappingField({
  type: filled.describe("The type of grader, such as file-exists."),
  config: createRecordField(z.unknown()).optional().describe("Its settings."),
  name: filled.optional().describe("A unique name, needed if there are several graders of one type."),
  required: flag.optional().describe("If true, the trial passes only if this grader passes."),
  negate: flag.optional().describe("If true, the grader passes where it would fail, and the other way around."),
  weight: amount.optional().describe("Weight in the score of the trial; 0 only reports the result."),
  after_turn: positive
    .optional()
    .describe("Judges the trial as it was after this turn of the user, from 1. Default: at the end."),
});

export const constraintsSchema = createMappingField({
  max_turns: count.optional().describe("Maximum number of turns of the agent."),
  max_tokens: count.optional().describe("Maximum number of tokens, of all classes together."),
  max_tool_calls: count.optional().describe("Maximum number of tool calls."),
  max_duration: duration.optional().describe('Maximum duration of a trial, such as "2m".'),
  expect_tools: createListField(filled).optional().describe("Patterns of tool names, each of which must be called."),
  reject_tools: createListField(filled).optional().describe("Patterns of tool names, none of which may be called."),
  expect_skills: createListField(filled).optional().describe("Skills that must be activated."),
  reject_skills: createListField(filled).optional().describe("Skills that must not be activated."),
});

export const turnSchema = createMappingField({
  role: filled.describe("The speaker: user or assistant."),
  content: filled.describe("The text of the turn."),
});
export const patchSchema = createMappingField({ path: filled.describe("A git patch, relative to this file.") });

const tagValue = z.union([text, number, flag], { error: "must be text, a number, true or false" });
const tagsSchema = z
  .union(
    [
      z.record(
        z.string(),
        z.union([tagValue, createListField(tagValue)], { error: "must be a value or a list of values" }),
      ),
      createListField(filled),
    ],
    {
      error: "must be a mapping of names to values, or a list of names",
    },
  )
  .describe("Tags to select test cases by: --tag area=js.");

export const stimulusSchema = createMappingField({
  name: filled.describe("The unique name of the test case in reports."),
  prompt: filled.optional().describe("The prompt for the agent."),
  turns: createListField(z.union([filled, turnSchema], { error: "must be text, or { role, content }" }))
    .optional()
    .describe("A conversation instead of a prompt; its last turn is the prompt."),
  tags: tagsSchema.optional(),
  rubric: createListField(filled).optional().describe("Criteria for a judge."),
  constraints: constraintsSchema.optional().describe("Each one is a check that must pass."),
  environment: environmentOrNameSchema.optional().describe("Added to the environment of the file."),
  golden_patch: z
    .union([filled, patchSchema], { error: "must be a path, or { path }" })
    .optional()
    .describe("A reference solution, for assay oracle."),
  graders: createListField(graderSchema).optional().describe("Graders of this test case, after those of the file."),
  threshold: share.optional().describe("Minimum score of a trial to pass. Default: the threshold of scoring."),
  runs: runs.optional().describe("Trials of this test case. Default: those of defaults."),
  timeout: duration
    .optional()
    .describe("Trials of this test case are stopped after this time. Default: that of defaults."),
  max_cost_usd: dollars.optional().describe("Maximum cost of one trial of this test case. Default: that of defaults."),
});

export const triggersSchema = createMappingField({
  should: createListField(filled).optional().describe("Prompts that should activate the skill."),
  should_not: createListField(filled).optional().describe("Prompts that should not activate the skill."),
  tags: tagsSchema.optional(),
});

export const scoringSchema = createMappingField({
  threshold: share.optional().describe("Minimum score of a trial to pass. Default: all graders must pass."),
  weights: createRecordField(amount).optional().describe("Weights by grader type, for graders without a weight."),
});

const OPS = [">=", "<=", ">", "<", "=="] as const;

export const gateSchema = createMappingField({
  metric: filled.describe("A key of the summary, such as pass_hat_3."),
  op: z
    .enum(OPS, { error: ({ input }) => `is ${JSON.stringify(input)}, but must be one of ${OPS.join(" ")}` })
    .describe("The comparison operator."),
  value: number.describe("The value to compare the metric with."),
});

/** An eval file with normalized keys. */
export const specSchema = createMappingField({
  $schema: text.optional().describe("The JSON Schema of this file, for editors."),
  name: filled.optional().describe("The name of the eval. Default: the name of its folder or file."),
  description: text.optional().describe("What the eval is about."),
  type: createEnumField(["capability", "regression"])
    .optional()
    .describe("capability: can the agent do it at all; regression: can it still do it every time."),
  skill: filled
    .optional()
    .describe("The skill under test: a folder with a SKILL.md. It must also be listed in environment.skills."),
  defaults: defaultsSchema.optional().describe("Defaults for running the eval; flags of the command override them."),
  tags: tagsSchema.optional(),
  environment: environmentOrNameSchema.optional().describe("The workspace of the agent, for all test cases."),
  graders: createListField(graderSchema).optional().describe("Graders of every test case, before its own."),
  stimuli: createListField(stimulusSchema).optional().describe("The test cases."),
  triggers: triggersSchema.optional().describe("Prompts that test when the skill is activated."),
  scoring: scoringSchema.optional().describe("How grades become the score of a trial, and when it passes."),
  gate: z
    .union([gateSchema, createListField(gateSchema)], { error: "must be { metric, op, value }, or a list of them" })
    .optional()
    .describe("Conditions that decide the exit code."),
});

export type RawSpec = z.output<typeof specSchema>;
export type RawStimulus = z.output<typeof stimulusSchema>;
export type RawGrader = z.output<typeof graderSchema>;
export type RawConstraints = z.output<typeof constraintsSchema>;
export type RawTags = z.output<typeof tagsSchema>;
export type RawDefaults = z.output<typeof defaultsSchema>;
