import type { InstructionArguments } from "./arguments.js";
import type { DetectLanguage } from "./detect-language.js";

/** Whether a response that is not blank follows the instruction. */
export type Follows = (response: string, detect: DetectLanguage) => boolean;

/** Makes the check of one instruction from its arguments. */
type Rule = (given: InstructionArguments) => Follows;

export type Rules = Readonly<Record<string, Rule>>;
