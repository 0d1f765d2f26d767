import { given } from "../../core/shape.js";
import { AnswerBase, deltaOf, type Fields, fieldsOf, listOf, NO_TEXT, textOf, withExtra } from "./answer-base.js";
import type { Delta, Dialect, Finish, Message, ModelRequest } from "./dialect.js";
import { addOpenAiUsage, bearer, openAiErrorBody } from "./openai.js";
import { errorField, providerErrorIn } from "./provider-error.js";
import { withoutParameters } from "./refused-parameter.js";

/** OpenAI Responses. */
export const responses: Dialect = {
  name: "responses",
  path: () => "/responses",
  headers: bearer,
  body,
  reader: () => new ResponsesReader(),
  errorIn: providerErrorIn,
  errorBody: openAiErrorBody,
};

function body({ model, system, messages, temperature, maxTokens, stream, answer, extraBody, refused }: ModelRequest) {
  const plain = given({
    model: model === "" ? undefined : model,
    instructions: system,
    input: messages.map(itemOf),
    temperature,
    max_output_tokens: maxTokens,
    text: answer && { format: { type: "json_schema", ...answer, strict: true } },
    stream: stream || undefined,
  });
  return withoutParameters(withExtra(plain, extraBody), refused ?? []);
}

function itemOf({ role, parts }: Message) {
  const type = role === "assistant" ? "output_text" : "input_text";
  return { role, content: parts.map((text) => ({ type, text })) };
}

const NAMES = { input: "input_tokens", output: "output_tokens" };

/** Events whose `delta` is billed but not shown. */
const HIDDEN = new Set([
  "response.reasoning_text.delta",
  "response.reasoning_summary_text.delta",
  "response.function_call_arguments.delta",
  "response.custom_tool_call_input.delta",
  "response.mcp_call_arguments.delta",
  "response.code_interpreter_call_code.delta",
]);

/** Reads an answer of OpenAI Responses. Its stream ends with the whole response. */
class ResponsesReader extends AnswerBase {
  #hasDeltas = false;

  readEvent(event: unknown): Delta {
    const fields = fieldsOf(event);
    const type = textOf(fields?.type);
    if (fields === null || type === "") return this.unknown();
    if (type.endsWith(".delta")) return this.#readDelta(type, textOf(fields.delta));
    if (type === "error") return this.#readError(fields);
    if (!type.startsWith("response.")) return this.unknown();
    const response = fieldsOf(fields.response);
    return response === null ? NO_TEXT : this.#readResponse(response);
  }

  readWhole(body: unknown): Delta {
    const fields = fieldsOf(body);
    if (fields === null || !(Array.isArray(fields.output) || fields.error != null)) return this.unknown();
    this.isComplete = true;
    return this.#readResponse(fields);
  }

  #readDelta(type: string, delta: string): Delta {
    const isShown = type === "response.output_text.delta" || type === "response.refusal.delta";
    if (delta === "" || !(isShown || HIDDEN.has(type))) return NO_TEXT;
    this.#hasDeltas = true;
    if (type === "response.refusal.delta") this.end("refused", null);
    return isShown ? deltaOf(delta, "") : deltaOf("", delta);
  }

  #readError(fields: Fields): Delta {
    this.error ??= errorField(fields.error) ?? providerErrorIn(fields) ?? { message: "unknown error", type: null };
    return NO_TEXT;
  }

  /** The response object, which the first and the last event of a stream contain. */
  #readResponse(response: Fields): Delta {
    this.readModel(response.model);
    this.error ??= errorField(response.error);
    addOpenAiUsage(this.fold, response.usage, NAMES);
    const output = listOf(response.output);
    this.#readStatus(response, output);
    // Some proxies send only the last event.
    return this.#hasDeltas || !this.isComplete ? NO_TEXT : this.#readOutput(output);
  }

  #readStatus(response: Fields, output: readonly unknown[]): void {
    const status = textOf(response.status);
    if (status === "completed") this.#finish(hasCalls(output) ? "tool_calls" : "stop", status);
    if (status === "failed" || status === "cancelled") this.#finish("stop", status);
    if (status !== "incomplete") return;
    const reason = textOf(fieldsOf(response.incomplete_details)?.reason);
    this.#finish(reason === "content_filter" ? "refused" : "truncated", reason || status);
  }

  #finish(finish: Finish, reason: string): void {
    this.isComplete = true;
    this.end(finish, reason);
  }

  #readOutput(output: readonly unknown[]): Delta {
    let text = "";
    let hidden = "";
    for (const item of output) {
      const fields = fieldsOf(item);
      const content = this.#textIn(listOf(fields?.content));
      if (fields?.type === "reasoning") hidden += content + this.#textIn(listOf(fields.summary));
      else text += content;
      hidden += textOf(fields?.arguments);
    }
    return deltaOf(text, hidden);
  }

  #textIn(parts: readonly unknown[]): string {
    return parts.map((part) => this.#readPart(fieldsOf(part))).join("");
  }

  #readPart(part: Fields | null): string {
    if (part?.type !== "refusal") return textOf(part?.text);
    this.end("refused", null);
    return textOf(part.refusal);
  }
}

/** Calls that wait for the client; searches and the like run at the provider. */
function hasCalls(output: readonly unknown[]): boolean {
  return output.some((item) => {
    const type = fieldsOf(item)?.type;
    return type === "function_call" || type === "custom_tool_call";
  });
}
