import { type Fields, fieldsOf, listOf, textOf } from "./answer-base.js";
import { providerErrorIn } from "./provider-error.js";

/** A last message that begins the model's answer. */
const PREFILL = "prefill";

/** The key of Gemini's settings in a body. */
const GEMINI_SETTINGS = "generationConfig";

/** Never omitted from a request. */
const ESSENTIAL = new Set([
  "model",
  "messages",
  "input",
  "contents",
  "system",
  "instructions",
  "systemInstruction",
  "stream",
  "tools",
  GEMINI_SETTINGS,
]);

/** Wording of a rejected parameter. An out-of-range value is the user's mistake and must not be omitted. */
const REFUSING =
  /unsupported|not (?:\w+ )?support|n't support|deprecated|not allowed|not permitted|not available|unavailable|not compatible|incompatible|unknown|unrecognized|unexpected|cannot find|cannot (?:both )?be|no longer|only be set|may not be|only the default|must end with/i;

/** How error messages refer to a parameter, if not by its name. */
const OTHER_WORDS: Readonly<Record<string, RegExp>> = {
  output_config: /output_config|output[_ ]format|structured[_ ]output|json_schema/,
  response_format: /response_format|structured[_ ]output|json_schema/,
  text: /text\.format|structured[_ ]output|json_schema/,
  tool_choice: /tool_choice|forc\w+ tool/,
  [PREFILL]: /prefill|end with a user/,
};

/**
 * Finds the parameter that a provider rejected in an error with status 400; null if it names none that was sent.
 * @example
 * findRefusedParameter({ error: { message: "`temperature` is deprecated for this model." } }, { model: "m", temperature: 0 }); // "temperature"
 */
export function refusedParameter(answer: unknown, sent: Fields): string | null {
  const message = providerErrorIn(answer)?.message ?? "";
  const { param, code } = fieldsOf(fieldsOf(Array.isArray(answer) ? answer[0] : answer)?.error) ?? {};
  if (!REFUSING.test(`${textOf(code)} ${message}`)) return null;
  const names = parametersIn(sent);
  const named = names.find((name) => textOf(param).split(/[.[]/)[0] === name);
  if (named !== undefined) return named;
  const found = names.map((name) => ({ name, at: placeOf(name, message) })).filter(({ at }) => at >= 0);
  // If two parameters conflict, the rejected one is named first.
  return found.sort((a, b) => a.at - b.at)[0]?.name ?? null;
}

/** Whether a body has a parameter that could be rejected. */
export function hasParameter(sent: Fields, name: string): boolean {
  return parametersIn(sent).includes(name);
}

function parametersIn(sent: Fields): string[] {
  const names = Object.keys(sent).filter((name) => !ESSENTIAL.has(name));
  const settings = Object.keys(fieldsOf(sent[GEMINI_SETTINGS]) ?? {});
  return [...names, ...settings, ...(endsWithAnswer(sent) ? [PREFILL] : [])];
}

function endsWithAnswer(sent: Fields): boolean {
  const { role } = fieldsOf(listOf(sent.messages ?? sent.input ?? sent.contents).at(-1)) ?? {};
  return role === "assistant" || role === "model";
}

/** The index where a message mentions a parameter, as sent or in snake case; -1 if it does not. */
function placeOf(name: string, message: string): number {
  const words = OTHER_WORDS[name];
  if (words !== undefined) return message.search(words);
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return message.search(new RegExp(`(?<![\\w-])(?:${escaped(name)}|${escaped(snake)})(?![\\w-])`));
}

function escaped(name: string): string {
  return name.replaceAll(/[^\w]/g, "\\$&");
}

const REPLACEMENTS: Readonly<Record<string, string>> = {
  max_tokens: "max_completion_tokens",
  max_completion_tokens: "max_tokens",
};

/** The equivalent parameter with another name; null if there is none. */
export function replacementOf(name: string): string | null {
  return REPLACEMENTS[name] ?? null;
}

/**
 * Removes rejected parameters from a body; those with an equivalent are renamed.
 * @example
 * removeParameters({ max_tokens: 5, temperature: 0 }, ["temperature", "max_tokens"]); // { max_completion_tokens: 5 }
 */
export function withoutParameters(body: Fields, refused: readonly string[]): Record<string, unknown> {
  const left: Record<string, unknown> = { ...body };
  for (const name of refused) {
    const replacement = replacementOf(name);
    if (replacement !== null && name in left && !refused.includes(replacement)) left[replacement] = left[name];
    delete left[name];
  }
  const settings = fieldsOf(left[GEMINI_SETTINGS]);
  if (settings !== null) left[GEMINI_SETTINGS] = omit(settings, refused);
  if (refused.includes(PREFILL)) dropPrefill(left);
  return left;
}

function omit(fields: Fields, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

function dropPrefill(body: Record<string, unknown>): void {
  for (const field of ["messages", "input", "contents"]) {
    if (!Array.isArray(body[field])) continue;
    const messages = [...(body[field] as unknown[])];
    while (endsWithAnswer({ messages }) && messages.length > 1) messages.pop();
    body[field] = messages;
  }
}
