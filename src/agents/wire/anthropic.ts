import { type JsonFields, readJsonList, readJsonObject, readJsonString } from "../../models/index.js";
import {
  type AnswerCollector,
  isCompleteArguments,
  parseArguments,
  readContentText,
  readToolNames,
  readUserItems,
  toTextItems,
  type WireFormat,
  type WireItem,
} from "./item.js";

/** Anthropic Messages. */
export const anthropic: WireFormat = {
  readRequest(json) {
    const messages = readJsonList(json.messages).map((message) => readJsonObject(message) ?? {});
    const isSystem = ({ role }: JsonFields) => role === "system";
    return {
      system: [json.system, ...messages.filter(isSystem).map(({ content }) => content)].map(readContentText).join("\n"),
      tools: readToolNames(json.tools),
      items: messages.filter((message) => !isSystem(message)).flatMap(readMessage),
      previousId: null,
    };
  },
  createCollector: () => new AnthropicCollector(),
};

function readMessage({ role, content }: JsonFields): WireItem[] {
  const blocks = Array.isArray(content) ? content : [{ type: "text", text: content }];
  return blocks
    .flatMap((block) => {
      const fields = readJsonObject(block) ?? { type: "text", text: block };
      return readBlock(fields) ?? (role === "assistant" ? [] : readUserItems([fields]));
    })
    .map((item) => (item.kind === "assistant" && role !== "assistant" ? { kind: "user", text: item.text } : item));
}

/** Null for a block of another kind, such as an image. */
function readBlock(block: JsonFields): WireItem[] | null {
  const type = readJsonString(block.type);
  if (type === "text") return toTextItems("assistant", readJsonString(block.text));
  if (type === "thinking") return toTextItems("reasoning", readJsonString(block.thinking));
  if (type === "redacted_thinking") return [];
  if (type.endsWith("tool_use")) {
    const id = readJsonString(block.id) || null;
    return [{ kind: "call", name: readJsonString(block.name), id, arguments: parseArguments(block.input) }];
  }
  if (!type.endsWith("tool_result")) return null;
  const id = readJsonString(block.tool_use_id) || null;
  const success = block.is_error !== true && !readJsonString(readJsonObject(block.content)?.type).endsWith("_error");
  return [{ kind: "result", id, name: null, success, text: readContentText(block.content) }];
}

interface OpenBlock {
  readonly fields: JsonFields;
  text: string;
  isComplete: boolean;
}

class AnthropicCollector implements AnswerCollector {
  id: string | null = null;
  readonly #blocks = new Map<unknown, OpenBlock>();

  readEvent(event: unknown): void {
    const fields = readJsonObject(event) ?? {};
    if (fields.type === "content_block_start")
      this.#blocks.set(fields.index, {
        fields: readJsonObject(fields.content_block) ?? {},
        text: "",
        isComplete: false,
      });
    const block = this.#blocks.get(fields.index);
    if (block === undefined) return;
    if (fields.type === "content_block_stop") block.isComplete = true;
    if (fields.type !== "content_block_delta") return;
    const delta = readJsonObject(fields.delta);
    block.text += readJsonString(delta?.text) || readJsonString(delta?.thinking) || readJsonString(delta?.partial_json);
  }

  readWhole(body: unknown): void {
    for (const [index, block] of readJsonList(readJsonObject(body)?.content).entries())
      this.#blocks.set(index, { fields: readJsonObject(block) ?? {}, text: "", isComplete: true });
  }

  listItems(): WireItem[] {
    return [...this.#blocks.values()].flatMap((block) => readBlock(closeBlock(block)) ?? []);
  }
}

/** The block as it would be in an answer that is not streamed. */
function closeBlock({ fields, text, isComplete }: OpenBlock): JsonFields {
  const type = readJsonString(fields.type);
  if (type === "text") return { type, text: readJsonString(fields.text) + text };
  if (type === "thinking") return { type, thinking: readJsonString(fields.thinking) + text };
  if (!type.endsWith("tool_use")) return fields;
  if (!isComplete || !isCompleteArguments(text)) return {};
  return text === "" ? fields : { ...fields, input: text };
}
