import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { GraderSpec } from "../../core/grader.js";
import type { Registry } from "../../core/registry.js";
import type { KeyPath } from "../../utils/files/yaml-tree.js";
import { constraintGraders } from "./constraint-graders.js";
import type { Findings } from "./findings.js";
import { checkGrader } from "./grader-check.js";
import { isJudged, withJudging } from "./judged-graders.js";
import type { RawGrader, RawSpec, RawStimulus } from "./spec-schema.js";

/** What the graders of all stimuli of a file have in common. */
export interface GraderContext {
  readonly raw: RawSpec;
  /** Of the eval file. */
  readonly dir: string;
  readonly judgeModel: string | null;
  readonly registry: Registry;
  readonly findings: Findings;
}

/** A grader, and the place of what it stands for. */
interface Placed {
  readonly spec: GraderSpec;
  readonly path: KeyPath;
}

/** Every check of a stimulus: the graders of the file, its own, its rubric and its constraints. */
export function stimulusGraders(stimulus: RawStimulus, path: KeyPath, context: GraderContext): GraderSpec[] {
  const { raw, findings } = context;
  const entries = [
    ...placed(raw.graders, ["graders"], context),
    ...placed(stimulus.graders, [...path, "graders"], context),
  ];
  const judged = withRubric(entries, stimulus, { ...context, path });
  const doCount = judged.some(({ spec }) => (spec.weight ?? 1) > 0);
  const constraints = constraintGraders(stimulus.constraints ?? {}, doCount).map(({ key, spec }) => ({
    spec,
    path: [...path, "constraints", key],
  }));
  const all = [...judged, ...constraints].flatMap((one) => checkedGrader(one, context));
  const who = `the stimulus ${JSON.stringify(stimulus.name)}`;
  if (judged.length > 0 && !doCount && constraints.length === 0)
    findings.at(
      stimulus.graders === undefined ? ["graders"] : [...path, "graders"],
      `${who}: all of its graders have the weight 0, so that nothing decides. Give one a weight above 0.`,
    );
  if (judged.length + constraints.length === 0)
    findings.note(`${who} has neither graders nor constraints: its trials are unscored`);
  return all;
}

function placed(entries: readonly RawGrader[] | undefined, path: KeyPath, { raw, dir }: GraderContext): Placed[] {
  return (entries ?? []).map((entry, index) => ({
    spec: withProgramBeside(specOf(entry, raw), dir),
    path: [...path, index],
  }));
}

/** A program that lies beside the eval file is meant, and not one of the workspace, which the agent could change. */
function withProgramBeside(spec: GraderSpec, dir: string): GraderSpec {
  const program = spec.type === "program" ? spec.config?.program : undefined;
  if (typeof program !== "string" || !program.includes("/")) return spec;
  const file = resolve(dir, program);
  return existsSync(file) ? { ...spec, config: { ...spec.config, program: file } } : spec;
}

/** The weight of the entry counts before that of its type. */
function specOf({ type, config, name, required, weight }: RawGrader, { scoring }: RawSpec): GraderSpec {
  const weights = scoring?.weights ?? {};
  const counts = weight ?? (Object.hasOwn(weights, type) ? weights[type] : undefined);
  return {
    type,
    ...(config !== undefined && { config }),
    ...(name !== undefined && { name }),
    ...(required !== undefined && { required }),
    ...(counts !== undefined && { weight: counts }),
  };
}

/** The rubric goes to the graders that ask a model; where there is none, and a model is known, to one of its own. */
function withRubric(
  entries: readonly Placed[],
  { name, rubric = [] }: RawStimulus,
  { path, ...context }: GraderContext & { path: KeyPath },
): Placed[] {
  const { judgeModel, raw, findings } = context;
  const judging = { rubric, judgeModel };
  const filled = entries.map((one) => ({ ...one, spec: withJudging(one.spec, judging) }));
  if (rubric.length === 0 || entries.some(({ spec }) => isJudged(spec))) return filled;
  if (judgeModel === null) {
    findings.note(
      `the stimulus ${JSON.stringify(name)}: its rubric is not checked. Name a model as defaults.judge_model`,
    );
    return filled;
  }
  const own = specOf({ type: "prompt", name: "rubric" }, raw);
  return [...filled, { spec: withJudging(own, judging), path: [...path, "rubric"] }];
}

function checkedGrader({ spec, path }: Placed, { registry, findings }: GraderContext): GraderSpec[] {
  const { spec: usable, problem, note } = checkGrader(spec, registry);
  if (note !== undefined) findings.note(note);
  if (problem === undefined) return [usable];
  const at = problem.key === undefined ? path : [...path, "config", ...problem.key];
  if (problem.isKey) findings.atKey(at, problem.text);
  else findings.at(at, problem.text);
  return [];
}
