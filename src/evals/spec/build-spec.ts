import { readFileSync, realpathSync } from "node:fs";
import { basename, dirname, relative, resolve } from "node:path";
import type { Environment } from "../../core/environment.js";
import { messageOf } from "../../core/errors.js";
import { RepeatedIds } from "../../core/fingerprint.js";
import type { Registry } from "../../core/registry.js";
import { readSkill } from "../../exec/skills/read-skill.js";
import type { KeyPath } from "../../utils/files/yaml-tree.js";
import { millisecondsOf } from "./fields.js";
import type { Findings } from "./findings.js";
import { gatesOf, problemWithGate } from "./gates.js";
import { checkGrader } from "./grader-check.js";
import type { EvalSpec, SkillUnderTest, SpecDefaults, Stimulus } from "./spec.js";
import {
  environmentAt,
  mergeEnvironments,
  type SharedEnvironment,
  skillAt,
  takesSkillsAway,
} from "./spec-environment.js";
import type { RawDefaults, RawSpec, RawStimulus } from "./spec-schema.js";
import { stimulusGraders } from "./stimulus-graders.js";
import { tagsOf } from "./tags.js";

export interface BuildContext {
  readonly file: string;
  readonly findings: Findings;
  readonly registry: Registry;
  readonly shared: Readonly<Record<string, SharedEnvironment>>;
  readonly judgeModel: string | undefined;
  readonly runs: number | undefined;
  readonly isEdited: boolean;
}

/** Builds a spec from a document that fits the schema. Other problems are added to `findings`. */
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

/** An eval.yaml is named after its folder, any other file after itself. */
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

function ownEnvironment({ name }: RawStimulus, own: Environment, { environment, findings }: Making): Environment {
  if (takesSkillsAway(environment, own))
    findings.note(`test case ${JSON.stringify(name)}: its empty environment.skills removes those of the file`);
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
      isMissing
        ? `the golden patch ${file} does not exist.`
        : `the golden patch ${file} cannot be read: ${messageOf(error)}.`,
    );
    return null;
  }
}

/** Names identify results, so they must be unique. */
function checkNames({ stimuli = [], triggers }: RawSpec, made: readonly Stimulus[], findings: Findings): void {
  const taken = new Set(made.map(({ name }) => name));
  if (stimuli.length === 0 && made.length === 0 && (triggers === undefined || isEmpty(triggers)))
    findings.at(["stimuli"], "nothing to run: add stimuli with at least one entry, or triggers.");
  for (const [index, { name }] of stimuli.entries()) {
    if (taken.has(name))
      findings.at(
        ["stimuli", index, "name"],
        `the name ${JSON.stringify(name)} is used by another test case: give each its own name.`,
      );
    taken.add(name);
  }
}

function isEmpty({ should = [], should_not: shouldNot = [] }: NonNullable<RawSpec["triggers"]>): boolean {
  return should.length + shouldNot.length === 0;
}

/** A weight without a grader of that type is a typo or a leftover. */
function checkWeights({ scoring }: RawSpec, stimuli: readonly Stimulus[], findings: Findings): void {
  const types = new Set(stimuli.flatMap(({ graders }) => graders.map(({ type }) => type)));
  for (const type of Object.keys(scoring?.weights ?? {}))
    if (!types.has(type)) findings.note(`scoring.weights.${type} has no effect: there is no grader of this type`);
}

function checkGates({ gate = [] }: RawSpec, findings: Findings): void {
  for (const [index, one] of [gate].flat().entries()) {
    const problem = problemWithGate(one);
    const path = Array.isArray(gate) ? ["gate", index, "value"] : ["gate", "value"];
    if (problem !== null) findings.at(path, problem);
  }
}

type Asked = Pick<Stimulus, "prompt" | "turns">;

/** The prompt may be the last turn of a conversation. */
function askedBy({ name, prompt, turns = [] }: RawStimulus, path: KeyPath, findings: Findings): Asked {
  const who = `test case ${JSON.stringify(name)}`;
  if (turns.length === 0) {
    if (prompt === undefined) findings.at(path, `${who} has no prompt: add a prompt or turns.`);
    return { prompt: prompt ?? "", turns: [] };
  }
  if (prompt !== undefined)
    findings.atKey([...path, "turns"], `${who} has both a prompt and turns: put the prompt last among the turns.`);
  const spoken = turns.map((turn) => (typeof turn === "string" ? { role: "user", content: turn } : turn));
  const last = spoken.at(-1);
  if (last !== undefined && last.role !== "user")
    findings.at(
      [...path, "turns", turns.length - 1],
      `${who}: the last turn must be the user's, because it is the prompt.`,
    );
  return { prompt: last?.content ?? "", turns: spoken.slice(0, -1) };
}

async function skillUnderTest(given: string, dir: string, findings: Findings): Promise<SkillUnderTest | null> {
  let isThere = true;
  const folder = skillAt(given, dir, (text) => {
    isThere = false;
    findings.at(["skill"], text);
  });
  if (!isThere) return null;
  try {
    return { dir: folder, name: (await readSkill(folder)).name };
  } catch (error) {
    findings.at(["skill"], messageOf(error));
    return null;
  }
}

interface OfferContext {
  readonly dir: string;
  readonly findings: Findings;
  /** True when the file was edited on purpose: a variant may be the one without the skill. */
  readonly isEdited: boolean;
}

/** Reports test cases that do not offer the skill under test: they do not test it. */
function checkOffered(skill: SkillUnderTest, stimuli: readonly Stimulus[], context: OfferContext): void {
  const wanted = realpathSync(skill.dir);
  const without = stimuli.filter(
    ({ environment }) => !(environment.skills ?? []).some((one) => isSame(one, wanted, skill)),
  );
  if (without.length === 0) return;
  const names = without.slice(0, 3).map(({ name }) => JSON.stringify(name));
  const who =
    without.length === stimuli.length
      ? "no test case"
      : `not all test cases (not ${names.join(", ")}${without.length > 3 ? ", …" : ""})`;
  const path = relative(context.dir, skill.dir);
  const text = `the skill under test is offered to the agent in ${who}. Add ${path === "" ? "./" : path} to environment.skills`;
  if (context.isEdited) context.findings.note(text);
  else context.findings.at(["skill"], `${text}.`);
}

function isSame(offered: string | { readonly name: string }, wanted: string, { name }: SkillUnderTest): boolean {
  if (typeof offered !== "string") return offered.name === name;
  try {
    return realpathSync(offered) === wanted;
  } catch {
    return false;
  }
}

interface TriggerContext {
  readonly raw: RawSpec;
  readonly skill: SkillUnderTest | null;
  readonly environment: Environment;
  readonly registry: Registry;
  readonly findings: Findings;
}

const KINDS = [
  { key: "should", title: "should", setting: "required" },
  { key: "should_not", title: "should not", setting: "disallowed" },
] as const;

const NAME_LENGTH = 60;

/** A test case for each prompt of `triggers`, which passes if the skill is activated or not, as expected. */
function triggerStimuli(context: TriggerContext): Stimulus[] {
  const { raw, skill, findings } = context;
  if (raw.triggers === undefined) return [];
  if (raw.skill === undefined) {
    findings.atKey(["triggers"], "triggers test when a skill is activated: name the skill under test with skill.");
    return [];
  }
  if (skill === null) return [];
  const met = new Set<string>();
  const names = new RepeatedIds();
  return KINDS.flatMap((kind) =>
    (raw.triggers?.[kind.key] ?? []).map((prompt, index) => {
      const path = ["triggers", kind.key, index];
      if (met.has(prompt.trim())) findings.at(path, "this prompt is a duplicate: keep one of them.");
      met.add(prompt.trim());
      const name = names.next(`${kind.title}: ${shortened(prompt)}`, () => false);
      return { ...triggerStimulus({ ...context, skill }, kind, prompt), name, ...findings.placeOf(path) };
    }),
  );
}

function triggerStimulus(
  { raw, skill, environment, registry, findings }: TriggerContext & { skill: SkillUnderTest },
  { key, setting }: (typeof KINDS)[number],
  prompt: string,
): Omit<Stimulus, "name" | "line" | "column"> {
  const { spec, problem } = checkGrader({ type: "skill-invocation", config: { [setting]: [skill.name] } }, registry);
  if (problem !== undefined) findings.atKey(["triggers"], problem.text);
  return {
    prompt,
    turns: [],
    tags: tagsOf(raw.triggers?.tags),
    rubric: [],
    environment,
    graders: [spec],
    threshold: null,
    goldenPatch: null,
    trigger: key,
  };
}

function shortened(prompt: string): string {
  const line = prompt.trim().replaceAll(/\s+/g, " ");
  return line.length <= NAME_LENGTH ? line : `${line.slice(0, NAME_LENGTH - 1).trimEnd()}…`;
}
