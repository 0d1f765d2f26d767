import { type JsonFields, readJsonList, readJsonObject, readJsonString } from "../../models/index.js";
import {
  type AnswerCollector,
  isCompleteArguments,
  looksFailed,
  parseArguments,
  readContentText,
  readToolNames,
  readUserItems,
  toTextItems,
  type WireCall,
  type WireFormat,
  type WireItem,
} from "./item.js";

/** OpenAI Chat Completions, also the older functions and text completions. */
export const chat: WireFormat = {
  readRequest(json) {
    const messages = readJsonList(json.messages).map((message) => readJsonObject(message) ?? {});
    const isSystem = ({ role }: JsonFields) => role === "system" || role === "developer";
    return {
      system: messages
        .filter(isSystem)
        .map(({ content }) => readContentText(content))
        .join("\n"),
      tools: [...readToolNames(json.tools), ...readToolNames(json.functions)],
      items: [
        ...messages.filter((message) => !isSystem(message)).flatMap(readMessage),
        ...(typeof json.prompt === "string" ? readUserItems(json.prompt) : []),
      ],
      previousId: null,
    };
  },
  createCollector: () => new ChatCollector(),
};

function readMessage(message: JsonFields): WireItem[] {
  const { role, content } = message;
  if (role === "tool" || role === "function") {
    const text = readContentText(content);
    const id = readJsonString(message.tool_call_id) || null;
    return [{ kind: "result", id, name: readJsonString(message.name) || null, success: !looksFailed(text), text }];
  }
  return role === "assistant" ? readAnswer(message) : readUserItems(content);
}

function readAnswer(message: JsonFields): WireItem[] {
  const calls = [...readJsonList(message.tool_calls), ...(message.function_call == null ? [] : [message])];
  return [
    ...toTextItems("reasoning", readReasoning(message)),
    ...toTextItems("assistant", readContentText(message.content) || readJsonString(message.refusal)),
    ...calls.flatMap(readCall),
  ];
}

function readReasoning(message: JsonFields): string {
  return readJsonString(message.reasoning_content) || readJsonString(message.reasoning);
}

function readCall(call: unknown): WireCall[] {
  const fields = readJsonObject(call) ?? {};
  const inner = getCallFields(fields);
  const name = readJsonString(inner?.name);
  if (inner === null || name === "") return [];
  const id = readJsonString(fields.id) || null;
  return [{ kind: "call", name, id, arguments: parseArguments(inner.arguments ?? inner.input) }];
}

function getCallFields(call: JsonFields): JsonFields | null {
  return readJsonObject(call.function) ?? readJsonObject(call.custom) ?? readJsonObject(call.function_call);
}

interface OpenCall {
  id: string;
  name: string;
  text: string;
}

class ChatCollector implements AnswerCollector {
  readonly id = null;
  #reasoning = "";
  #text = "";
  #calls: OpenCall[] = [];
  #whole: WireItem[] | null = null;
  #isFinished = false;

  readEvent(event: unknown): void {
    const choice = readFirstChoice(event);
    if (choice === null) return;
    if (typeof choice.finish_reason === "string" && choice.finish_reason !== "") this.#isFinished = true;
    this.#text += readJsonString(choice.text);
    const delta = readJsonObject(choice.delta);
    if (delta === null) return;
    this.#text += readJoined(delta.content) + readJsonString(delta.refusal);
    this.#reasoning += readReasoning(delta);
    for (const call of readJsonList(delta.tool_calls)) this.#addCall(readJsonObject(call));
    if (delta.function_call != null) this.#addCall({ index: 0, function: delta.function_call });
  }

  readWhole(body: unknown): void {
    const choice = readFirstChoice(body);
    if (choice === null) return;
    const message = readJsonObject(choice.message);
    this.#whole = message === null ? toTextItems("assistant", readJsonString(choice.text)) : readAnswer(message);
  }

  listItems(): WireItem[] {
    if (this.#whole !== null) return this.#whole;
    const calls = this.#calls.filter(({ text }) => this.#isFinished && isCompleteArguments(text));
    return [
      ...toTextItems("reasoning", this.#reasoning),
      ...toTextItems("assistant", this.#text),
      ...calls.flatMap(({ id, name, text }) => readCall({ id, function: { name, arguments: text || "{}" } })),
    ];
  }

  /** Some servers send no index, but a new id with each call. */
  #addCall(call: JsonFields | null): void {
    if (call === null) return;
    const inner = getCallFields(call);
    const id = readJsonString(call.id);
    const place = typeof call.index === "number" ? call.index : id === "" ? this.#calls.length - 1 : this.#calls.length;
    if (!Number.isInteger(place) || place < 0 || place > MAX_CALLS) return;
    while (this.#calls.length <= place) this.#calls.push({ id: "", name: "", text: "" });
    const known = this.#calls[place];
    if (known === undefined) return;
    known.id ||= id;
    known.name += readJsonString(inner?.name);
    known.text += readJsonString(inner?.arguments) + readJsonString(inner?.input);
  }
}

/** More calls in one answer are an error of the server. */
const MAX_CALLS = 1000;

/** The first choice is the answer. */
function readFirstChoice(body: unknown): JsonFields | null {
  const choices = readJsonList(readJsonObject(body)?.choices).map(readJsonObject);
  return choices.find((choice) => choice !== null && !(typeof choice.index === "number" && choice.index > 0)) ?? null;
}

function readJoined(content: unknown): string {
  if (typeof content === "string") return content;
  return readJsonList(content)
    .map((part) => readJsonString(readJsonObject(part)?.text))
    .join("");
}
