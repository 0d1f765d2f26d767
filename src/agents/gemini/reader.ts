import type { AgentHappening } from "../../core/trajectory.js";
import { type Fields, fieldsOf, jsonText, textOf } from "../../models/dialects/fields.js";
import type { AgentEnd, AgentFigures, StreamReader } from "../adapter.js";
import { UnknownEvents } from "../unknown-events.js";
import { endOf } from "./end.js";
import { figuresOf, NO_FIGURES, onlyModel } from "./stats.js";

const NOTHING: readonly AgentHappening[] = [];

/** Reads the events of `gemini --output-format stream-json`. Usage comes once, with the end. */
export class GeminiReader implements StreamReader {
  readonly version = null;
  end: AgentEnd | null = null;
  figures: AgentFigures = NO_FIGURES;
  response = "";
  model: string | null = null;
  /** Once something was called, what is said next is another text. */
  #isNewText = true;
  /** The last error it told of and did not go on after. */
  #trouble: string | null = null;
  readonly #unknown = new UnknownEvents();

  get unknown(): ReadonlyMap<string, number> {
    return this.#unknown.counts;
  }

  read(event: unknown): readonly AgentHappening[] {
    const fields = fieldsOf(event) ?? {};
    switch (fields.type) {
      case "init":
        this.model = textOf(fields.model) || null;
        return NOTHING;
      case "message":
        return this.#message(fields);
      case "thought":
        return [{ type: "reasoning", text: thoughtOf(fields) }];
      case "tool_use":
        return this.#call(fields);
      case "tool_result":
        return [resultOf(fields)];
      case "error":
        return this.#error(textOf(fields.message));
      case "result":
        return this.#result(fields);
      default:
        return this.#unknown.tell(event);
    }
  }

  #message({ role, content }: Fields): readonly AgentHappening[] {
    const text = textOf(content);
    if (role !== "assistant") return [{ type: "user_message", text }];
    this.#trouble = null;
    this.response = this.#isNewText ? text : this.response + text;
    this.#isNewText = false;
    return text === "" ? NOTHING : [{ type: "assistant_message", text }];
  }

  #call({ tool_name: name, tool_id: callId, parameters }: Fields): readonly AgentHappening[] {
    this.#isNewText = true;
    this.#trouble = null;
    return [{ type: "tool_call", name: textOf(name), callId: textOf(callId), arguments: parameters ?? {} }];
  }

  #error(message: string): readonly AgentHappening[] {
    this.#trouble = message;
    return [{ type: "error", message }];
  }

  #result(fields: Fields): readonly AgentHappening[] {
    const told = textOf(fieldsOf(fields.error)?.message);
    this.end = endOf(textOf(fields.status), told || this.#trouble);
    this.figures = figuresOf(fieldsOf(fields.stats), this.end.kind === "failed");
    this.model = onlyModel(fieldsOf(fields.stats)) ?? this.model;
    return told === "" ? NOTHING : [{ type: "error", message: told }];
  }
}

function resultOf({ tool_id: callId, status, output, error }: Fields): AgentHappening {
  const text = textOf(output) || textOf(fieldsOf(error)?.message);
  return { type: "tool_result", callId: textOf(callId), success: status === "success", result: text };
}

function thoughtOf({ content, text, subject, description }: Fields): string {
  const titled = [textOf(subject), textOf(description)].filter(Boolean).join(": ");
  return textOf(content) || textOf(text) || titled || jsonText(content);
}
