import { omitUndefined } from "../../core/index.js";
import {
  BaseAnswerReader,
  type JsonFields,
  makeDelta,
  mergeExtraBody,
  NO_TEXT,
  parseErrorField,
  parseProviderError,
  readJsonList,
  readJsonObject,
  readJsonString,
} from "./answer-base.js";
import {
  type AnswerDelta,
  type Dialect,
  type Finish,
  formatDataUrl,
  type Message,
  type MessageFile,
  type ModelRequest,
} from "./dialect.js";
import { addOpenAiUsage, buildBearerHeaders, buildOpenAiErrorBody } from "./openai.js";
import { removeParameters } from "./refused-parameter.js";

/** OpenAI Responses. */
export const responses: Dialect<"responses"> = {
  name: "responses",
  serviceTiers: ["flex", "priority"],
  path: () => "/responses",
  headers: buildBearerHeaders,
  body: buildResponsesBody,
  takesUrl: () => true,
  reader: () => new ResponsesAnswerReader(),
  errorIn: parseProviderError,
  errorBody: buildOpenAiErrorBody,
};

function buildResponsesBody({
  model,
  system,
  messages,
  temperature,
  maxTokens,
  effort,
  stream,
  serviceTier,
  answer,
  extraBody,
  refused,
}: ModelRequest) {
  const plain = omitUndefined({
    model: model === "" ? undefined : model,
    instructions: system,
    input: messages.map(toInputItem),
    temperature,
    max_output_tokens: maxTokens,
    reasoning: effort && { effort: effort.value },
    service_tier: serviceTier,
    text: answer && { format: { type: "json_schema", ...answer, strict: true } },
    stream: stream || undefined,
  });
  return removeParameters(mergeExtraBody(plain, extraBody), refused ?? []);
}

function toInputItem({ role, parts, files = [] }: Message) {
  const type = role === "assistant" ? "output_text" : "input_text";
  return { role, content: [...files.map(toInputFile), ...parts.map((text) => ({ type, text }))] };
}

function toInputFile({ kind, name, source }: MessageFile) {
  if (kind === "image")
    return { type: "input_image", image_url: "url" in source ? source.url : formatDataUrl(source), detail: "auto" };
  if ("url" in source) return { type: "input_file", file_url: source.url };
  return { type: "input_file", filename: name, file_data: formatDataUrl(source) };
}

const USAGE_NAMES = { input: "input_tokens", output: "output_tokens" };

/** Events whose `delta` is billed but not shown. */
const HIDDEN_DELTA_TYPES = new Set([
  "response.reasoning_text.delta",
  "response.reasoning_summary_text.delta",
  "response.function_call_arguments.delta",
  "response.custom_tool_call_input.delta",
  "response.mcp_call_arguments.delta",
  "response.code_interpreter_call_code.delta",
]);

/** Reads an answer of OpenAI Responses. Its stream ends with the whole response. */
class ResponsesAnswerReader extends BaseAnswerReader {
  #hasDeltas = false;

  readEvent(event: unknown): AnswerDelta {
    const fields = readJsonObject(event);
    const type = readJsonString(fields?.type);
    if (fields === null || type === "") return this.countUnknownEvent();
    if (type.endsWith(".delta")) return this.#readDelta(type, readJsonString(fields.delta));
    if (type === "error") return this.#readError(fields);
    if (!type.startsWith("response.")) return this.countUnknownEvent();
    const response = readJsonObject(fields.response);
    return response === null ? NO_TEXT : this.#readResponse(response);
  }

  readWhole(body: unknown): AnswerDelta {
    const fields = readJsonObject(body);
    if (fields === null || !(Array.isArray(fields.output) || fields.error != null)) return this.countUnknownEvent();
    this.isComplete = true;
    return this.#readResponse(fields);
  }

  #readDelta(type: string, delta: string): AnswerDelta {
    const isShown = type === "response.output_text.delta" || type === "response.refusal.delta";
    if (delta === "" || !(isShown || HIDDEN_DELTA_TYPES.has(type))) return NO_TEXT;
    this.#hasDeltas = true;
    if (type === "response.refusal.delta") this.setFinish("refused", null);
    return isShown ? makeDelta(delta, "") : makeDelta("", delta);
  }

  #readError(fields: JsonFields): AnswerDelta {
    this.error ??= parseErrorField(fields.error) ??
      parseProviderError(fields) ?? { message: "unknown error", type: null };
    return NO_TEXT;
  }

  /** The response object, which the first and the last event of a stream contain. */
  #readResponse(response: JsonFields): AnswerDelta {
    this.readModel(response.model);
    this.readServiceTier(response.service_tier);
    this.error ??= parseErrorField(response.error);
    addOpenAiUsage(this.fold, response.usage, USAGE_NAMES);
    const output = readJsonList(response.output);
    this.#readStatus(response, output);
    // Some proxies send only the last event.
    return this.#hasDeltas || !this.isComplete ? NO_TEXT : this.#readOutput(output);
  }

  #readStatus(response: JsonFields, output: readonly unknown[]): void {
    const status = readJsonString(response.status);
    if (status === "completed") this.#finish(hasFunctionCalls(output) ? "tool_calls" : "stop", status);
    if (status === "failed" || status === "cancelled") this.#finish("stop", status);
    if (status !== "incomplete") return;
    const reason = readJsonString(readJsonObject(response.incomplete_details)?.reason);
    this.#finish(reason === "content_filter" ? "refused" : "truncated", reason || status);
  }

  #finish(finish: Finish, reason: string): void {
    this.isComplete = true;
    this.setFinish(finish, reason);
  }

  #readOutput(output: readonly unknown[]): AnswerDelta {
    let text = "";
    let hidden = "";
    for (const item of output) {
      const fields = readJsonObject(item);
      const content = this.#readText(readJsonList(fields?.content));
      if (fields?.type === "reasoning") hidden += content + this.#readText(readJsonList(fields.summary));
      else text += content;
      hidden += readJsonString(fields?.arguments);
    }
    return makeDelta(text, hidden);
  }

  #readText(parts: readonly unknown[]): string {
    return parts.map((part) => this.#readPart(readJsonObject(part))).join("");
  }

  #readPart(part: JsonFields | null): string {
    if (part?.type !== "refusal") return readJsonString(part?.text);
    this.setFinish("refused", null);
    return readJsonString(part.refusal);
  }
}

/** Calls that wait for the client; searches and the like run at the provider. */
function hasFunctionCalls(output: readonly unknown[]): boolean {
  return output.some((item) => {
    const type = readJsonObject(item)?.type;
    return type === "function_call" || type === "custom_tool_call";
  });
}
