import { type DetectLanguage, languageDetector } from "./detect-language.js";
import { check, type Instruction, type Verdicts } from "./instructions.js";
import { loadProfiles } from "./language-profiles.js";

export interface CheckInput {
  readonly instructions: readonly Instruction[];
  readonly response: string;
}

/** Loaded on first use: the profiles of all languages take a while to read. */
let detector: DetectLanguage | null = null;

/** Checks a response in a worker thread; see `checkInstructions`. */
export function run(input: unknown): Verdicts {
  const { instructions, response } = input as CheckInput;
  return check(instructions, response, (text) => {
    detector ??= languageDetector(loadProfiles());
    return detector(text);
  });
}
