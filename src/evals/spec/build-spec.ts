import { readFileSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import type { Environment } from "../../core/environment.js";
import { messageOf } from "../../core/errors.js";
import type { Registry } from "../../core/registry.js";
import type { KeyPath } from "../../utils/files/yaml-tree.js";
import { millisecondsOf } from "./fields.js";
import type { Findings } from "./findings.js";
import { gatesOf, problemWithGate } from "./gates.js";
import { mergeEnvironments, takesSkillsAway } from "./merge-environment.js";
import { checkOffered, skillUnderTest } from "./skill-under-test.js";
import type { EvalSpec, SpecDefaults, Stimulus } from "./spec.js";
import { environmentAt, type SharedEnvironment } from "./spec-environment.js";
import type { RawDefaults, RawSpec, RawStimulus } from "./spec-schema.js";
import { stimulusGraders } from "./stimulus-graders.js";
import { askedBy } from "./stimulus-turns.js";
import { tagsOf } from "./tags.js";
import { triggerStimuli } from "./trigger-stimuli.js";

/** What a document is made into a spec with. */
export interface BuildContext {
  readonly file: string;
  readonly findings: Findings;
  readonly registry: Registry;
  readonly shared: Readonly<Record<string, SharedEnvironment>>;
  readonly judgeModel: string | undefined;
  readonly runs: number | undefined;
  readonly isEdited: boolean;
}

/** Makes a spec of a document that fits the schema. What else is wrong with it is said in the findings. */
export async function buildSpec(raw: RawSpec, context: BuildContext): Promise<EvalSpec> {
  const { file, findings, registry } = context;
  const dir = dirname(resolve(file));
  const defaults = defaultsOf(raw.defaults ?? {}, context);
  const skill = raw.skill === undefined ? null : await skillUnderTest(raw.skill, dir, findings);
  const environment = environmentAt(raw.environment, ["environment"], { ...context, dir });
  const making = { ...context, dir, raw, environment, judgeModel: defaults.judgeModel };
  const own = (raw.stimuli ?? []).map((stimulus, index) => stimulusOf(stimulus, ["stimuli", index], making));
  const triggers = triggerStimuli({ raw, skill, environment, registry, findings });
  const stimuli = [...own, ...triggers];
  checkNames(raw, triggers, findings);
  checkWeights(raw, stimuli, findings);
  checkGates(raw, findings);
  if (skill !== null) checkOffered(skill, stimuli, { dir, findings, isEdited: context.isEdited });
  return {
    file,
    name: raw.name ?? nameFrom(file),
    description: raw.description ?? null,
    type: raw.type ?? "capability",
    skill,
    defaults,
    stimuli,
    gates: gatesOf(raw, defaults.runs),
    notes: findings.notes,
  };
}

/** An eval.yaml has the name of its folder, another file its own. */
function nameFrom(file: string): string {
  const path = resolve(file);
  const stem = basename(path)
    .replace(/\.ya?ml$/, "")
    .replace(/\.eval$/, "");
  return stem === "eval" ? basename(dirname(path)) || stem : stem;
}

function defaultsOf(given: RawDefaults, asked: Pick<BuildContext, "judgeModel" | "runs">): SpecDefaults {
  const { runs = 1, timeout, model, executor = null, judge_model = null, max_cost_usd = null } = given;
  return {
    runs: asked.runs ?? runs,
    timeoutMs: timeout === undefined ? null : millisecondsOf(timeout),
    executor,
    models: model === undefined ? [] : [model].flat(),
    judgeModel: asked.judgeModel ?? judge_model,
    maxCostUsd: max_cost_usd,
  };
}

interface Making extends Omit<BuildContext, "judgeModel"> {
  readonly dir: string;
  readonly raw: RawSpec;
  readonly environment: Stimulus["environment"];
  readonly judgeModel: string | null;
}

function stimulusOf(given: RawStimulus, path: KeyPath, making: Making): Stimulus {
  const { findings, raw } = making;
  const own = environmentAt(given.environment, [...path, "environment"], making);
  return {
    name: given.name,
    ...askedBy(given, path, findings),
    tags: tagsOf(given.tags),
    rubric: given.rubric ?? [],
    environment: ownEnvironment(given, own, making),
    graders: stimulusGraders(given, path, making),
    threshold: given.threshold ?? raw.scoring?.threshold ?? null,
    goldenPatch: goldenPatchOf(given, [...path, "golden_patch"], making),
    trigger: null,
    ...findings.placeOf(path),
  };
}

/** That of the file with the stimulus' own. */
function ownEnvironment({ name }: RawStimulus, own: Environment, { environment, findings }: Making): Environment {
  if (takesSkillsAway(environment, own))
    findings.note(`the stimulus ${JSON.stringify(name)}: its empty environment.skills takes away those of the file`);
  return mergeEnvironments(environment, own);
}

function goldenPatchOf(
  { golden_patch: given }: RawStimulus,
  path: KeyPath,
  { dir, findings }: Making,
): Stimulus["goldenPatch"] {
  if (given === undefined) return null;
  const file = resolve(dir, typeof given === "string" ? given : given.path);
  const at = typeof given === "string" ? path : [...path, "path"];
  try {
    const text = readFileSync(file, "utf8");
    if (text.trim() === "") findings.at(at, `the golden patch ${file} is empty.`);
    return { file, text };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    findings.at(
      at,
      isMissing ? `there is no golden patch ${file}.` : `the golden patch ${file} cannot be read: ${messageOf(error)}.`,
    );
    return null;
  }
}

/** Names are what results are told apart by. */
function checkNames({ stimuli = [], triggers }: RawSpec, made: readonly Stimulus[], findings: Findings): void {
  const taken = new Set(made.map(({ name }) => name));
  if (stimuli.length === 0 && made.length === 0 && (triggers === undefined || isEmpty(triggers)))
    findings.at(["stimuli"], "there is nothing to ask: give stimuli with at least one entry, or triggers.");
  for (const [index, { name }] of stimuli.entries()) {
    if (taken.has(name))
      findings.at(
        ["stimuli", index, "name"],
        `there is another stimulus ${JSON.stringify(name)}: give each its own name.`,
      );
    taken.add(name);
  }
}

function isEmpty({ should = [], should_not: shouldNot = [] }: NonNullable<RawSpec["triggers"]>): boolean {
  return should.length + shouldNot.length === 0;
}

/** A weight that no grader takes is a slip of the pen, or left over. */
function checkWeights({ scoring }: RawSpec, stimuli: readonly Stimulus[], findings: Findings): void {
  const types = new Set(stimuli.flatMap(({ graders }) => graders.map(({ type }) => type)));
  for (const type of Object.keys(scoring?.weights ?? {}))
    if (!types.has(type)) findings.note(`scoring.weights.${type} has no effect: no grader is of this type`);
}

function checkGates({ gate = [] }: RawSpec, findings: Findings): void {
  for (const [index, one] of [gate].flat().entries()) {
    const problem = problemWithGate(one);
    const path = Array.isArray(gate) ? ["gate", index, "value"] : ["gate", "value"];
    if (problem !== null) findings.at(path, problem);
  }
}
