import { type JsonFields, parseProviderError, readJsonList, readJsonObject, readJsonString } from "./answer-base.js";

/** A last message that begins the model's answer. */
const PREFILL = "prefill";

/** The keys of a body that hold parameters: Gemini's, and two of Bedrock's. */
const SETTINGS = ["generationConfig", "inferenceConfig", "additionalModelRequestFields"];

/** Never omitted from a request. */
const REQUIRED_PARAMETERS = new Set([
  "model",
  "messages",
  "input",
  "contents",
  "system",
  "instructions",
  "systemInstruction",
  "stream",
  "tools",
  // Without it the answer would have another price than the one that was agreed to.
  "service_tier",
  "serviceTier",
  ...SETTINGS,
]);

/** Wording of a rejected parameter. An out-of-range value is the user's mistake and must not be omitted. */
const REFUSAL_PATTERN =
  /unsupported|not (?:\w+ )?support|n't support|deprecated|not allowed|not permitted|not available|unavailable|not compatible|incompatible|unknown|unrecognized|unexpected|cannot find|cannot (?:both )?be|no longer|only be set|may not be|only the default|must end with/i;

/** How error messages refer to a parameter, if not by its name. */
const PARAMETER_ALIASES: Readonly<Record<string, RegExp>> = {
  output_config: /output_config|output[_ ]format|structured[_ ]output|json_schema/,
  outputConfig: /outputConfig|output_config\.format|textFormat|structured[_ ]output|json_schema/,
  response_format: /response_format|structured[_ ]output|json_schema/,
  text: /text\.format|structured[_ ]output|json_schema/,
  tool_choice: /tool_choice|forc\w+ tool/,
  toolConfig: /toolConfig|tool_?choice|forc\w+ tool/i,
  [PREFILL]: /prefill|end with a user/,
};

/**
 * Finds the parameter that a provider rejected in an error with status 400; null if it names none that was sent.
 * @example
 * findRefusedParameter({ error: { message: "`temperature` is deprecated for this model." } }, { model: "m", temperature: 0 }); // "temperature"
 */
export function findRefusedParameter(answer: unknown, sent: JsonFields): string | null {
  const message = parseProviderError(answer)?.message ?? "";
  const { param, code } = readJsonObject(readJsonObject(Array.isArray(answer) ? answer[0] : answer)?.error) ?? {};
  if (!REFUSAL_PATTERN.test(`${readJsonString(code)} ${message}`)) return null;
  const names = listParameters(sent);
  const named = names.find((name) => readJsonString(param).split(/[.[]/)[0] === name);
  if (named !== undefined) return named;
  const found = names.map((name) => ({ name, at: findParameterMention(name, message) })).filter(({ at }) => at >= 0);
  // If two parameters conflict, the rejected one is named first.
  return found.sort((a, b) => a.at - b.at)[0]?.name ?? null;
}

/** Whether a body has a parameter that could be rejected. */
export function isParameterSent(sent: JsonFields, name: string): boolean {
  return listParameters(sent).includes(name);
}

function listParameters(sent: JsonFields): string[] {
  const names = Object.keys(sent).filter((name) => !REQUIRED_PARAMETERS.has(name));
  const settings = SETTINGS.flatMap((key) => Object.keys(readJsonObject(sent[key]) ?? {}));
  return [...names, ...settings, ...(isPrefilled(sent) ? [PREFILL] : [])];
}

function isPrefilled(sent: JsonFields): boolean {
  const { role } = readJsonObject(readJsonList(sent.messages ?? sent.input ?? sent.contents).at(-1)) ?? {};
  return role === "assistant" || role === "model";
}

/** The index where a message mentions a parameter, as sent or in snake case; -1 if it does not. */
function findParameterMention(name: string, message: string): number {
  const words = PARAMETER_ALIASES[name];
  if (words !== undefined) return message.search(words);
  const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return message.search(
    new RegExp(`(?<![\\w-])(?:${escapeParameterName(name)}|${escapeParameterName(snake)})(?![\\w-])`),
  );
}

function escapeParameterName(name: string): string {
  return name.replaceAll(/[^\w]/g, "\\$&");
}

const REPLACEMENTS: Readonly<Record<string, string>> = {
  max_tokens: "max_completion_tokens",
  max_completion_tokens: "max_tokens",
};

/** The equivalent parameter with another name; null if there is none. */
export function getReplacementParameter(name: string): string | null {
  return REPLACEMENTS[name] ?? null;
}

/**
 * Removes rejected parameters from a body; those with an equivalent are renamed.
 * @example
 * removeParameters({ max_tokens: 5, temperature: 0 }, ["temperature", "max_tokens"]); // { max_completion_tokens: 5 }
 */
export function removeParameters(body: JsonFields, refused: readonly string[]): Record<string, unknown> {
  const left: Record<string, unknown> = { ...body };
  for (const name of refused) {
    const replacement = getReplacementParameter(name);
    if (replacement !== null && name in left && !refused.includes(replacement)) left[replacement] = left[name];
    delete left[name];
  }
  for (const key of SETTINGS) {
    const settings = readJsonObject(left[key]);
    if (settings !== null) left[key] = omitFields(settings, refused);
  }
  if (refused.includes(PREFILL)) removePrefill(left);
  return left;
}

function omitFields(fields: JsonFields, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

function removePrefill(body: Record<string, unknown>): void {
  for (const field of ["messages", "input", "contents"]) {
    if (!Array.isArray(body[field])) continue;
    const messages = [...(body[field] as unknown[])];
    while (isPrefilled({ messages }) && messages.length > 1) messages.pop();
    body[field] = messages;
  }
}
