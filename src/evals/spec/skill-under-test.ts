import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { messageOf } from "../../core/errors.js";
import { readSkill } from "../../exec/skills/read-skill.js";
import type { Findings } from "./findings.js";
import type { SkillUnderTest, Stimulus } from "./spec.js";
import { skillAt } from "./spec-environment.js";

/** The skill that a file names as the one under test. */
export async function skillUnderTest(given: string, dir: string, findings: Findings): Promise<SkillUnderTest | null> {
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

/** What is known of the file that names the skill. */
export interface OfferContext {
  readonly dir: string;
  readonly findings: Findings;
  /** True when the file was changed on purpose: a variant may be just the one without the skill. */
  readonly isEdited: boolean;
}

/** Says which stimuli do not offer the skill under test: without it they test nothing of it. */
export function checkOffered(skill: SkillUnderTest, stimuli: readonly Stimulus[], context: OfferContext): void {
  const wanted = realpathSync(skill.dir);
  const without = stimuli.filter(
    ({ environment }) => !(environment.skills ?? []).some((one) => isSame(one, wanted, skill)),
  );
  if (without.length === 0) return;
  const names = without.slice(0, 3).map(({ name }) => JSON.stringify(name));
  const who =
    without.length === stimuli.length
      ? "no stimulus"
      : `not all stimuli (not ${names.join(", ")}${without.length > 3 ? ", …" : ""})`;
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
