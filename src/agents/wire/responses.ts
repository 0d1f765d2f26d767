import { type JsonFields, readJsonList, readJsonObject, readJsonString, toJsonText } from "../../models/index.js";
import {
  type AnswerCollector,
  looksFailed,
  parseArguments,
  readContentText,
  readToolNames,
  readUserItems,
  toTextItems,
  type WireFormat,
  type WireItem,
} from "./item.js";

/** OpenAI Responses. */
export const responses: WireFormat = {
  readRequest(json) {
    const input = typeof json.input === "string" ? [{ role: "user", content: json.input }] : readJsonList(json.input);
    const items = input.map((item) => readJsonObject(item) ?? {});
    return {
      system: [json.instructions, ...items.filter(isSystem).map(({ content }) => content)]
        .map(readContentText)
        .join("\n"),
      // Tools may also be offered by an item of the input.
      tools: [...readToolNames(json.tools), ...items.flatMap(({ tools }) => readToolNames(tools))],
      items: items.filter((item) => !isSystem(item)).flatMap(readItem),
      previousId: readJsonString(json.previous_response_id) || null,
    };
  },
  createCollector: () => new ResponsesCollector(),
};

function isSystem({ role }: JsonFields): boolean {
  return role === "system" || role === "developer";
}

/** Items of a request and of an answer have the same form. */
function readItem(item: JsonFields): WireItem[] {
  const type = readJsonString(item.type);
  if (type === "message" || (type === "" && item.role !== undefined))
    return item.role === "assistant"
      ? toTextItems("assistant", readMessageText(item.content))
      : readUserItems(item.content);
  if (type === "reasoning")
    return toTextItems("reasoning", [item.summary, item.content].map(readContentText).join("\n").trim());
  if (type.endsWith("_call_output")) return [readOutput(item)];
  return type.endsWith("_call") ? readCall(item, type) : [];
}

function readMessageText(content: unknown): string {
  if (typeof content === "string") return content;
  return readJsonList(content)
    .map((part) => readContentText([part]))
    .join("");
}

function readOutput(item: JsonFields): WireItem {
  const text = readContentText(item.output);
  const id = readJsonString(item.call_id) || null;
  const success = item.status !== "failed" && item.status !== "incomplete" && !looksFailed(text);
  return { kind: "result", id, name: null, success, text };
}

/** A call of a function, or of a hosted tool, which may have its result with it. */
function readCall(item: JsonFields, type: string): WireItem[] {
  const id = readJsonString(item.call_id) || readJsonString(item.id) || null;
  const name = readJsonString(item.name) || type.replace(/_call$/, "");
  const given = item.arguments ?? item.input ?? item.action ?? item.code ?? item.queries;
  const call: WireItem = { kind: "call", name, id, arguments: parseArguments(given) };
  if (type !== "mcp_call" || (item.output == null && item.error == null)) return [call];
  const text = item.error == null ? readContentText(item.output) : toJsonText(item.error);
  return [call, { kind: "result", id, name, success: item.error == null, text }];
}

class ResponsesCollector implements AnswerCollector {
  id: string | null = null;
  readonly #done = new Map<unknown, WireItem[]>();
  /** Texts of items that are not complete. */
  readonly #open = new Map<unknown, string>();

  readEvent(event: unknown): void {
    const fields = readJsonObject(event) ?? {};
    const place = fields.output_index;
    if (fields.type === "response.output_item.done") {
      this.#done.set(place, readItem(readJsonObject(fields.item) ?? {}));
      this.#open.delete(place);
    }
    if (fields.type === "response.output_text.delta" || fields.type === "response.refusal.delta")
      this.#open.set(place, (this.#open.get(place) ?? "") + readJsonString(fields.delta));
    const response = readJsonObject(fields.response);
    if (response !== null) this.#readResponse(response);
  }

  readWhole(body: unknown): void {
    const response = readJsonObject(body);
    if (response !== null) this.#readResponse(response);
  }

  listItems(): WireItem[] {
    const open = [...this.#open.values()].flatMap((text) => toTextItems("assistant", text));
    return [...[...this.#done.values()].flat(), ...open];
  }

  /** The last event has the whole answer, which some servers send alone. */
  #readResponse(response: JsonFields): void {
    this.id = readJsonString(response.id) || this.id;
    const output = readJsonList(response.output);
    if (this.#done.size > 0 || output.length === 0) return;
    this.#open.clear();
    for (const [index, item] of output.entries()) this.#done.set(index, readItem(readJsonObject(item) ?? {}));
  }
}
