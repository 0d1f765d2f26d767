import { InstructionArguments } from "./arguments.js";
import { CASE_RULES } from "./case-rules.js";
import { CONTENT_RULES } from "./content-rules.js";
import type { DetectLanguage } from "./detect-language.js";
import { FORMAT_RULES } from "./format-rules.js";
import { KEYWORD_RULES } from "./keyword-rules.js";
import { LENGTH_RULES } from "./length-rules.js";
import { looseResponses } from "./loose-responses.js";
import { isBlank } from "./python-text.js";
import type { Follows, Rules } from "./rule.js";
import { WRAPPING_RULES } from "./wrapping-rules.js";

/** One instruction of an example: its official id and its arguments. */
export interface Instruction {
  readonly id: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Whether each instruction is followed, in their order. */
export interface Verdicts {
  readonly strict: readonly boolean[];
  readonly loose: readonly boolean[];
}

/** The rules of all 25 instructions, by their official ids. */
export const RULES: Rules = {
  ...KEYWORD_RULES,
  ...LENGTH_RULES,
  ...CONTENT_RULES,
  ...FORMAT_RULES,
  ...WRAPPING_RULES,
  ...CASE_RULES,
};

/** What keeps an instruction from being checked; null when nothing does. */
export function problemWith({ id, args }: Instruction): string | null {
  if (!Object.hasOwn(RULES, id)) return `"${id.slice(0, 60)}" is no known instruction`;
  const given = new InstructionArguments(args);
  RULES[id]?.(given);
  return given.problems.length === 0 ? null : `${id}: ${given.problems.join("; ")}`;
}

/** Checks every instruction against the response as it is, and against its eight loose forms. */
export function check(instructions: readonly Instruction[], response: string, detect: DetectLanguage): Verdicts {
  const forms = looseResponses(response);
  const strict: boolean[] = [];
  const loose: boolean[] = [];
  for (const { id, args } of instructions) {
    const follows = RULES[id]?.(new InstructionArguments(args)) ?? never;
    const isFollowed = (form: string) => !isBlank(form) && follows(form, detect);
    const isStrict = isFollowed(response);
    strict.push(isStrict);
    loose.push(isStrict || forms.some(isFollowed));
  }
  return { strict, loose };
}

const never: Follows = () => false;
