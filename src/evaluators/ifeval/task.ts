import { createLanguageDetector, type DetectLanguage, loadLanguageProfiles } from "./detect-language.js";
import { checkInstructions, type IFEvalInstruction, type InstructionVerdicts } from "./instructions.js";

export interface InstructionTaskInput {
  readonly instructions: readonly IFEvalInstruction[];
  readonly response: string;
}

/** Loaded on first use: the profiles of all languages take a while to read. */
let detector: DetectLanguage | null = null;

/** Checks a response in a worker thread; see `checkInstructions`. */
export function run(input: unknown): InstructionVerdicts {
  const { instructions, response } = input as InstructionTaskInput;
  return checkInstructions(instructions, response, (text) => {
    detector ??= createLanguageDetector(loadLanguageProfiles());
    return detector(text);
  });
}
