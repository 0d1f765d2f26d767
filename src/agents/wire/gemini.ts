import { type JsonFields, readJsonList, readJsonObject, readJsonString, toJsonText } from "../../models/index.js";
import { type AnswerCollector, readUserItems, toTextItems, type WireFormat, type WireItem } from "./item.js";

/** Gemini's generateContent. */
export const gemini: WireFormat = {
  readRequest(json) {
    const system = readJsonObject(json.systemInstruction ?? json.system_instruction);
    const contents = readJsonList(json.contents).map((content) => readJsonObject(content) ?? {});
    return {
      system: readJsonList(system?.parts)
        .map((part) => readJsonString(readJsonObject(part)?.text))
        .join("\n"),
      tools: readJsonList(json.tools).flatMap((tool) => readTools(readJsonObject(tool) ?? {})),
      items: contents.flatMap(({ role, parts }) => readParts(parts, role === "model")),
      previousId: null,
    };
  },
  createCollector: () => new GeminiCollector(),
};

/** Functions of the client, or the name of a hosted tool. */
function readTools(tool: JsonFields): string[] {
  const functions = tool.functionDeclarations ?? tool.function_declarations;
  if (functions === undefined) return Object.keys(tool);
  return readJsonList(functions).flatMap((each) => readJsonString(readJsonObject(each)?.name) || []);
}

function readParts(parts: unknown, isModel: boolean): WireItem[] {
  return readJsonList(parts).flatMap((part) => readPart(readJsonObject(part) ?? {}, isModel));
}

function readPart(part: JsonFields, isModel: boolean): WireItem[] {
  const call = readJsonObject(part.functionCall ?? part.function_call);
  if (call !== null) {
    const id = readJsonString(call.id) || null;
    return [{ kind: "call", name: readJsonString(call.name), id, arguments: call.args ?? {} }];
  }
  const result = readJsonObject(part.functionResponse ?? part.function_response);
  if (result !== null) return [readResult(result)];
  const code = readJsonObject(part.executableCode);
  if (code !== null) return [{ kind: "call", name: "code_execution", id: null, arguments: code }];
  const ran = readJsonObject(part.codeExecutionResult);
  if (ran !== null) {
    const [success, text] = [ran.outcome === "OUTCOME_OK", readJsonString(ran.output)];
    return [{ kind: "result", id: null, name: "code_execution", success, text }];
  }
  if (typeof part.text !== "string") return isModel ? [] : readUserItems([{ type: "file" }]);
  if (part.thought === true) return toTextItems("reasoning", part.text);
  if (!isModel) return toTextItems("user", part.text);
  // A stream may cut a text at its blanks.
  return part.text === "" ? [] : [{ kind: "assistant", text: part.text }];
}

function readResult(result: JsonFields): WireItem {
  const response = readJsonObject(result.response);
  const output = response?.output ?? response?.result;
  const error = response?.error;
  const text = typeof output === "string" ? output : typeof error === "string" ? error : toJsonText(result.response);
  const success = error === undefined || error === null || error === "";
  return {
    kind: "result",
    id: readJsonString(result.id) || null,
    name: readJsonString(result.name) || null,
    success,
    text,
  };
}

class GeminiCollector implements AnswerCollector {
  readonly id = null;
  readonly #items: WireItem[] = [];

  readEvent(event: unknown): void {
    const candidates = readJsonList(readJsonObject(event)?.candidates).map(readJsonObject);
    const first = candidates.find((each) => !(typeof each?.index === "number" && each.index > 0));
    this.#items.push(...readParts(readJsonObject(first?.content)?.parts, true));
  }

  readWhole(body: unknown): void {
    this.readEvent(body);
  }

  listItems(): WireItem[] {
    return this.#items;
  }
}
