import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { Effort, GraderSpec, Registry } from "../../core/index.js";
import { getErrorMessage } from "../../core/index.js";
import { makeGrader, UnknownGraderTypeError } from "../../graders/index.js";
import type { KeyPath } from "../../utils/index.js";
import { toSnakeCaseKey } from "./key-aliases.js";
import type { ProblemCollector } from "./problems.js";
import { isRawMapping } from "./raw-mapping.js";
import { graderSchema, type RawConstraints, type RawGrader, type RawSpec, type RawStimulus } from "./spec-schema.js";

/** Shared by all test cases of a file. */
interface GraderContext {
  readonly raw: RawSpec;
  /** Of the eval file. */
  readonly dir: string;
  readonly judgeModel: string | null;
  readonly registry: Registry;
  readonly findings: ProblemCollector;
}

interface StimulusGraderContext extends GraderContext {
  /** How many messages of the user the agent answers. */
  readonly asked: number;
}

/** A grader, and where it was written. */
interface PlacedGrader {
  readonly spec: GraderSpec;
  readonly path: KeyPath;
}

/** Builds all graders of a test case: those of the file, its own, its rubric and its constraints. */
export function buildStimulusGraders(
  stimulus: RawStimulus,
  path: KeyPath,
  context: StimulusGraderContext,
): GraderSpec[] {
  const { raw, findings } = context;
  const entries = [
    ...buildPlacedGraders(raw.graders, ["graders"], context),
    ...buildPlacedGraders(stimulus.graders, [...path, "graders"], context),
  ];
  for (const entry of entries) checkTurn(entry, stimulus, context);
  const judged = assignRubric(entries, stimulus, { ...context, path });
  const doCount = judged.some(({ spec }) => (spec.weight ?? 1) > 0);
  const constraints = buildConstraintGraders(stimulus.constraints ?? {}, doCount).map(({ key, spec }) => ({
    spec,
    path: [...path, "constraints", key],
  }));
  const all = [...judged, ...constraints].flatMap((one) => validateGrader(one, context));
  const who = `test case ${JSON.stringify(stimulus.name)}`;
  if (judged.length > 0 && !doCount && constraints.length === 0)
    findings.addAtValue(
      stimulus.graders === undefined ? ["graders"] : [...path, "graders"],
      `${who}: all of its graders have the weight 0, so nothing decides. Give one a weight above 0.`,
    );
  if (judged.length + constraints.length === 0)
    findings.addStimulusNote(stimulus.name, "neither graders nor constraints: the trials are unscored");
  return all;
}

function checkTurn(
  { spec, path }: PlacedGrader,
  { name }: RawStimulus,
  { asked, findings }: StimulusGraderContext,
): void {
  const { after_turn: turn } = spec;
  if (turn === undefined || turn <= asked) return;
  const count = asked === 1 ? "is one prompt" : `has ${asked} turns of the user`;
  findings.addAtValue(
    [...path, "after_turn"],
    `the grader ${spec.name ?? spec.type} judges after turn ${turn}, but the test case ${JSON.stringify(name)} ${count}.`,
  );
}

function buildPlacedGraders(
  entries: readonly RawGrader[] | undefined,
  path: KeyPath,
  { raw, dir }: GraderContext,
): PlacedGrader[] {
  return (entries ?? []).map((entry, index) => ({
    spec: negateGrader(resolveProgramPath(buildGraderSpec(entry, raw), dir), entry),
    path: [...path, index],
  }));
}

/** A negated grader is the part of a `not`; what belongs to the trial stays with that. */
function negateGrader({ type, config, ...spec }: GraderSpec, { negate = false }: RawGrader): GraderSpec {
  const part = { type, ...(config !== undefined && { config }) };
  return negate ? { name: `not ${type}`, ...spec, type: "not", config: { grader: part } } : { ...spec, ...part };
}

/** Checks the graders of a document that does not fit the schema, as far as each of them does. */
export function checkGraderEntries(entries: unknown, path: KeyPath, context: GraderContext & JudgeDefaults): void {
  if (!Array.isArray(entries)) return;
  for (const [index, entry] of entries.entries()) {
    const { data } = graderSchema.safeParse(entry);
    const [placed] = data === undefined ? [] : buildPlacedGraders([data], path, context);
    if (placed !== undefined)
      validateGrader({ spec: fillJudgeSettings(placed.spec, context), path: [...path, index] }, context);
  }
}

/** A program beside the eval file is preferred to one in the workspace, which the agent could change. */
function resolveProgramPath(spec: GraderSpec, dir: string): GraderSpec {
  const program = spec.type === "program" ? spec.config?.program : undefined;
  if (typeof program !== "string" || !program.includes("/")) return spec;
  const file = resolve(dir, program);
  return existsSync(file) ? { ...spec, config: { ...spec.config, program: file } } : spec;
}

/** The weight of the entry takes precedence over that of its type. */
function buildGraderSpec(
  { type, config, name, required, weight, after_turn }: RawGrader,
  { scoring }: RawSpec,
): GraderSpec {
  const weights = scoring?.weights ?? {};
  const counts = weight ?? (Object.hasOwn(weights, type) ? weights[type] : undefined);
  return {
    type,
    ...(config !== undefined && { config }),
    ...(name !== undefined && { name }),
    ...(required !== undefined && { required }),
    ...(counts !== undefined && { weight: counts }),
    ...(after_turn !== undefined && { after_turn }),
  };
}

/** Passes the rubric to the graders that ask a model, or adds one if there is none and a judge model is set. */
function assignRubric(
  entries: readonly PlacedGrader[],
  { name, rubric = [] }: RawStimulus,
  { path, ...context }: GraderContext & { path: KeyPath },
): PlacedGrader[] {
  const { judgeModel, raw, findings } = context;
  const judging = { rubric, judgeModel, judgeEffort: raw.defaults?.judge_effort };
  const filled = entries.map((one) => ({ ...one, spec: fillJudgeSettings(one.spec, judging) }));
  if (rubric.length === 0 || entries.some(({ spec }) => usesRubric(spec))) return filled;
  if (judgeModel === null) {
    findings.addStimulusNote(name, "the rubric is not checked. Set defaults.judge_model, or pass --judge-model");
    return filled;
  }
  const own = buildGraderSpec({ type: "prompt", name: "rubric" }, raw);
  return [...filled, { spec: fillJudgeSettings(own, judging), path: [...path, "rubric"] }];
}

function validateGrader({ spec, path }: PlacedGrader, { registry, findings }: GraderContext): GraderSpec[] {
  const { spec: usable, problem, note } = checkGrader(spec, registry);
  if (note !== undefined) findings.addNote(note);
  if (problem === undefined) return [usable];
  const at = problem.key === undefined ? path : [...path, "config", ...problem.key];
  if (problem.isKey) findings.addAtKey(at, problem.text);
  else findings.addAtValue(at, problem.text);
  return [];
}

type GraderConfigValues = Readonly<Record<string, unknown>>;
type ConstraintCheck = readonly [type: string, config: GraderConfigValues];

/** The grader of each constraint; null when there is nothing to check. */
const CONSTRAINT_CHECKS: {
  readonly [K in keyof RawConstraints]-?: (value: NonNullable<RawConstraints[K]>) => ConstraintCheck | null;
} = {
  max_turns: (max) => ["turn-count", { max }],
  max_tokens: (max) => ["token-budget", { max }],
  max_tool_calls: (max) => ["tool-call-count", { max }],
  max_duration: (max) => ["wall-time", { max: max.replaceAll(/\s/g, "") }],
  expect_tools: (required) => buildListCheck("tool-calls", { required }),
  reject_tools: (disallowed) => buildListCheck("tool-calls", { disallowed }),
  expect_skills: (required) => buildListCheck("skill-invocation", { required }),
  reject_skills: (disallowed) => buildListCheck("skill-invocation", { disallowed }),
};

function buildListCheck(type: string, config: Readonly<Record<string, readonly string[]>>): ConstraintCheck | null {
  return Object.values(config).every((names) => names.length === 0) ? null : [type, config];
}

interface ConstraintGrader {
  readonly key: string;
  readonly spec: GraderSpec;
}

/**
 * Graders of constraints are required and have the weight 0, so that they decide without changing the score; if nothing
 * else has a weight, they get one.
 */
function buildConstraintGraders(constraints: RawConstraints, doOthersCount: boolean): ConstraintGrader[] {
  const weight = doOthersCount ? 0 : 1;
  return Object.entries(constraints).flatMap(([key, value]) => {
    const check =
      value === undefined
        ? null
        : (CONSTRAINT_CHECKS[key as keyof RawConstraints] as (given: unknown) => ConstraintCheck | null)(value);
    if (check === null) return [];
    const [type, config] = check;
    return [{ key, spec: { type, config, name: `constraint:${key}`, required: true, weight } }];
  });
}

/** Settings from the file for graders that ask a model. */
interface JudgeDefaults {
  readonly rubric: readonly string[];
  readonly judgeModel: string | null;
  readonly judgeEffort?: Effort | undefined;
}

/** The settings that are filled in, by grader type. */
const JUDGE_SETTINGS: Readonly<Record<string, (judging: JudgeDefaults) => GraderConfigValues>> = {
  prompt: ({ rubric, judgeModel, judgeEffort }) => ({
    ...buildRubricConfig(rubric),
    ...(judgeModel !== null && { model: judgeModel }),
    ...(judgeEffort !== undefined && { effort: judgeEffort }),
  }),
  panel: ({ rubric, judgeEffort }) => ({
    ...buildRubricConfig(rubric),
    ...(judgeEffort !== undefined && { effort: judgeEffort }),
  }),
};

function buildRubricConfig(rubric: readonly string[]): GraderConfigValues {
  return rubric.length === 0 ? {} : { rubric };
}

/** Fills in the rubric and the judge model where the grader, or a part of it, has none. */
function fillJudgeSettings(spec: GraderSpec, judging: JudgeDefaults): GraderSpec {
  const filled = Object.hasOwn(JUDGE_SETTINGS, spec.type) ? (JUDGE_SETTINGS[spec.type]?.(judging) ?? {}) : {};
  const config = { ...filled, ...fillPartSettings(spec.config ?? {}, judging) };
  return Object.keys(config).length === 0 ? spec : { ...spec, config };
}

function fillPartSettings(config: GraderConfigValues, judging: JudgeDefaults): GraderConfigValues {
  const { graders, grader } = config;
  return {
    ...config,
    ...(Array.isArray(graders) && {
      graders: graders.map((part: unknown) => (isGraderSpecValue(part) ? fillJudgeSettings(part, judging) : part)),
    }),
    ...(isGraderSpecValue(grader) && { grader: fillJudgeSettings(grader, judging) }),
  };
}

/** True for a grader that uses the rubric, or has a part that does. */
function usesRubric({ type, config = {} }: GraderSpec): boolean {
  if (Object.hasOwn(JUDGE_SETTINGS, type)) return true;
  const { graders, grader } = config;
  const parts: readonly unknown[] = Array.isArray(graders) ? graders : [grader];
  return parts.some((part) => isGraderSpecValue(part) && usesRubric(part));
}

function isGraderSpecValue(value: unknown): value is GraderSpec {
  return typeof value === "object" && value !== null && typeof (value as Partial<GraderSpec>).type === "string";
}

interface GraderProblem {
  readonly text: string;
  /** Path inside the config, if the message names one. */
  readonly key?: KeyPath;
  readonly isKey: boolean;
}

interface CheckedGrader {
  readonly spec: GraderSpec;
  readonly problem?: GraderProblem;
  readonly note?: string;
}

/** Creates a grader to see whether that works, with settings in the spelling of other harnesses normalized. */
export function checkGrader(spec: GraderSpec, registry: Registry): CheckedGrader {
  const error = tryCreateGrader(spec, registry);
  if (error === null) return { spec };
  const config = normalizeConfigKeys(spec.config ?? {});
  const other = { ...spec, config };
  if (JSON.stringify(config) !== JSON.stringify(spec.config ?? {}) && tryCreateGrader(other, registry) === null)
    return { spec: other, note: `graders: settings of ${spec.type} in camel case are read with underscores` };
  return { spec, problem: locateGraderProblem(spec, error) };
}

/** Returns the error; null if the grader could be created. */
function tryCreateGrader(spec: GraderSpec, registry: Registry): unknown {
  try {
    makeGrader(spec, registry);
    return null;
  } catch (error) {
    return error;
  }
}

/** Only names of settings: keys below them may be the user's own. */
function normalizeConfigKeys(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [toSnakeCaseKey(key), value]));
}

/** Messages name the setting they are about first, or the unknown key: that gives the location. */
function locateGraderProblem({ type, name, config = {} }: GraderSpec, error: unknown): GraderProblem {
  const message = getErrorMessage(error);
  if (error instanceof UnknownGraderTypeError && error.type === type) return { text: message, isKey: false };
  const text = `the grader ${name ?? type} cannot be used: ${message.replace(/\.$/, "")}.`;
  const unknown = /^its config has the unknown key "([^"]+)"/.exec(message)?.[1];
  if (unknown !== undefined) return { text, key: [unknown], isKey: true };
  const key = parseConfigPath(/^[\w.-]+(?= )/.exec(message)?.[0] ?? "", config);
  return key.length === 0 ? { text, isKey: false } : { text, key, isKey: false };
}

/** As much of a dotted name as the config has. */
function parseConfigPath(dotted: string, config: unknown): (string | number)[] {
  const keys: (string | number)[] = [];
  let value = config;
  for (const part of dotted.split(".")) {
    const isThere = Array.isArray(value) ? part in value : isRawMapping(value) && Object.hasOwn(value, part);
    if (!isThere) break;
    keys.push(Array.isArray(value) ? Number(part) : part);
    value = (value as Record<string, unknown>)[part];
  }
  return keys;
}
