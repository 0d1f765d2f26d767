import { RepeatedIds } from "../../core/content-id.js";
import type { Environment } from "../../core/environment.js";
import type { Registry } from "../../core/registry.js";
import type { Findings } from "./findings.js";
import { checkGrader } from "./grader-check.js";
import type { SkillUnderTest, Stimulus } from "./spec.js";
import type { RawSpec } from "./spec-schema.js";
import { tagsOf } from "./tags.js";

/** What trigger tests are made with. */
export interface TriggerContext {
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

/** A stimulus for each prompt of `triggers`, which passes when the skill is activated, or is not. */
export function triggerStimuli(context: TriggerContext): Stimulus[] {
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
      if (met.has(prompt.trim())) findings.at(path, "this prompt is there already: keep one of them.");
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
