const ASK = "Work it out step by step. On the last line give the final number after ####.";

/**
 * A word problem that asks for the final number where GSM8K's own solutions have it.
 * @example
 * askForNumber("2 + 2?"); // "2 + 2?\n\nWork it out step by step. On the last line …"
 */
export function askForNumber(question: string): string {
  return `${question.trim()}\n\n${ASK}`;
}

/**
 * A number without its thousands separators.
 * @example
 * plainNumber(" 2,125"); // "2125"
 */
export function plainNumber(number: string): string {
  return number.replaceAll(",", "").trim();
}
