import type { InstructionArguments } from "./arguments.js";
import type { DetectLanguage } from "./detect-language.js";

/** Whether a non-blank response follows the instruction. */
export type Follows = (response: string, detect: DetectLanguage) => boolean;

type Rule = (given: InstructionArguments) => Follows;

export type Rules = Readonly<Record<string, Rule>>;
