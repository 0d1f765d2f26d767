/** The beginning of every Chat Completions request that asks for usage on a client's behalf. */
const ASK = Buffer.from('{"stream_options":{"include_usage":true},');

const BRACE = 0x7b;

type Json = Readonly<Record<string, unknown>>;

/** True when a streamed Chat Completions request asks for usage itself. */
export function asksForUsage({ stream_options: options }: Json): boolean {
  return isObject(options) && options.include_usage === true;
}

/**
 * The same request, asking for usage. Where the request says nothing about it, the question is put in front and every
 * other byte stays: writing the request anew would round long numbers and take time with long prompts.
 */
export function withUsage(body: Buffer, json: Json): Buffer {
  const options = json.stream_options;
  if (options === undefined) return Buffer.concat([ASK, body.subarray(body.indexOf(BRACE) + 1)]);
  const asked = { ...(isObject(options) ? options : {}), include_usage: true };
  return Buffer.from(JSON.stringify({ ...json, stream_options: asked }));
}

/** True for the extra event that holds nothing but usage. Others may hold usage too: clients get those in any case. */
export function isUsageOnly(event: unknown): boolean {
  return isObject(event) && Array.isArray(event.choices) && event.choices.length === 0 && isObject(event.usage);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
