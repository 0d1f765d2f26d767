import { type Fields, fieldsOf, listOf, textOf } from "./answer-base.js";
import { providerErrorIn } from "./provider-error.js";

/** The last message, where it is the beginning of the model's own answer. */
const PREFILL = "prefill";

/** The place of Gemini's settings in a body. */
const GEMINI_SETTINGS = "generationConfig";

/** Without these there is no request. */
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

/** Words of a refusal. A value that is out of range is a mistake of whoever gave it, and no reason to leave it out. */
const REFUSING =
  /unsupported|not (?:\w+ )?support|n't support|deprecated|not allowed|not permitted|not available|unavailable|not compatible|incompatible|unknown|unrecognized|unexpected|cannot find|cannot (?:both )?be|no longer|only be set|may not be|only the default|must end with/i;

/** What a parameter is called in words, where that is not its name. */
const OTHER_WORDS: Readonly<Record<string, RegExp>> = {
  output_config: /output_config|output[_ ]format|structured[_ ]output|json_schema/,
  response_format: /response_format|structured[_ ]output|json_schema/,
  text: /text\.format|structured[_ ]output|json_schema/,
  tool_choice: /tool_choice|forc\w+ tool/,
  [PREFILL]: /prefill|end with a user/,
};

/**
 * The parameter of a request that a provider refuses, by the body of its error with status 400; null when it names none
 * that was sent.
 * @example
 * refusedParameter({ error: { message: "`temperature` is deprecated for this model." } }, { model: "m", temperature: 0 }); // "temperature"
 */
export function refusedParameter(answer: unknown, sent: Fields): string | null {
  const message = providerErrorIn(answer)?.message ?? "";
  const { param, code } = fieldsOf(fieldsOf(Array.isArray(answer) ? answer[0] : answer)?.error) ?? {};
  if (!REFUSING.test(`${textOf(code)} ${message}`)) return null;
  const names = parametersIn(sent);
  const named = names.find((name) => textOf(param).split(/[.[]/)[0] === name);
  if (named !== undefined) return named;
  const found = names.map((name) => ({ name, at: placeOf(name, message) })).filter(({ at }) => at >= 0);
  // Of two that do not go together the one that is spoken of is named first.
  return found.sort((a, b) => a.at - b.at)[0]?.name ?? null;
}

/** Whether a body has a parameter that could be refused. */
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

/** Where a message names a parameter, as it was sent or with underscores between its words; -1 when it does not. */
function placeOf(name: string, message: string): number {
  const words = OTHER_WORDS[name];
  if (words !== undefined) return message.search(words);
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return message.search(new RegExp(`(?<![\\w-])(?:${escaped(name)}|${escaped(snake)})(?![\\w-])`));
}

function escaped(name: string): string {
  return name.replaceAll(/[^\w]/g, "\\$&");
}

/** What takes the place of a parameter that is refused. */
const REPLACEMENTS: Readonly<Record<string, string>> = {
  max_tokens: "max_completion_tokens",
  max_completion_tokens: "max_tokens",
};

/** The parameter that says the same in other words; null when there is none. */
export function replacementOf(name: string): string | null {
  return REPLACEMENTS[name] ?? null;
}

/**
 * A body without the parameters that a model has refused; what has another name is sent under that.
 * @example
 * withoutParameters({ max_tokens: 5, temperature: 0 }, ["temperature", "max_tokens"]); // { max_completion_tokens: 5 }
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
