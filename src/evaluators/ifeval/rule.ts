import type { InstructionArguments } from "./arguments.js";
import type { DetectLanguage } from "./detect-language.js";

/** Whether a non-blank response follows the instruction. */
export type InstructionCheck = (response: string, detect: DetectLanguage) => boolean;

type InstructionRule = (given: InstructionArguments) => InstructionCheck;

export type InstructionRules = Readonly<Record<string, InstructionRule>>;
