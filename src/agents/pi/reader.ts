import type { AgentHappening } from "../../core/trajectory.js";
import { type Fields, fieldsOf, textOf } from "../../models/dialects/fields.js";
import type { AgentEnd, AgentFigures, StreamReader } from "../adapter.js";
import { OwnFigures } from "../own-figures.js";
import { UnknownEvents } from "../unknown-events.js";
import { endOf, type LastAnswer, NO_ANSWER } from "./end.js";
import { happeningsOf, resultText, textIn, usageOf } from "./message.js";

const NOTHING: readonly AgentHappening[] = [];

/** Known, and told by other events too. Partial messages are among them: each repeats all that came before it. */
const REPEATED = new Set([
  "session",
  "agent_start",
  "message_start",
  "message_update",
  "tool_execution_update",
  "auto_retry_end",
  "queue_update",
  "agent_settled",
]);

/** Reads the events of `pi --mode json`. It may end several times: after some errors it tries again. */
export class PiReader implements StreamReader {
  readonly version = null;
  end: AgentEnd | null = null;
  response = "";
  model: string | null = null;
  #last: LastAnswer = NO_ANSWER;
  /** Calls that were told, and have no result yet. */
  readonly #open = new Set<string>();
  readonly #own = new OwnFigures();
  readonly #unknown = new UnknownEvents();

  get figures(): AgentFigures {
    return this.#own.figures;
  }

  get unknown(): ReadonlyMap<string, number> {
    return this.#unknown.counts;
  }

  read(event: unknown): readonly AgentHappening[] {
    const fields = fieldsOf(event) ?? {};
    const type = textOf(fields.type);
    if (REPEATED.has(type)) return NOTHING;
    switch (type) {
      case "turn_start":
        this.end = null;
        return [{ type: "turn_start" }];
      case "turn_end":
        return [{ type: "turn_end" }];
      case "message_end":
        return this.#message(fieldsOf(fields.message) ?? {});
      case "tool_execution_start":
        return this.#call(fields);
      case "tool_execution_end":
        return this.#result(fields.toolCallId, fields.isError, fieldsOf(fields.result));
      case "agent_end":
        this.end = endOf(this.#last);
        return NOTHING;
      case "auto_retry_start":
        this.end = null;
        return [{ type: "system", text: `trying again: ${textOf(fields.errorMessage)}` }];
      case "compaction_start":
        return [{ type: "system", text: `summarising the conversation (${textOf(fields.reason)})` }];
      case "compaction_end":
        // The call that summarised it is not on the stream.
        this.#own.isPartial = true;
        return NOTHING;
      default:
        return this.#unknown.tell(event);
    }
  }

  #message(message: Fields): readonly AgentHappening[] {
    if (message.role === "user") return [{ type: "user_message", text: textIn(message.content) }];
    if (message.role === "toolResult") return this.#result(message.toolCallId, message.isError, message);
    return message.role === "assistant" ? this.#answer(message) : NOTHING;
  }

  #answer(message: Fields): readonly AgentHappening[] {
    const error = textOf(message.errorMessage);
    this.#last = { stopReason: textOf(message.stopReason), error };
    this.model = textOf(message.model) || this.model;
    this.response = textIn(message.content) || this.response;
    const usage = fieldsOf(message.usage);
    if (usage !== null) this.#own.add(usageOf(usage), fieldsOf(usage.cost)?.total);
    // An answer that broke off has counts of 0, though it is billed.
    if (error !== "") this.#own.isPartial = true;
    const happenings = happeningsOf(message.content);
    for (const happening of happenings) if (happening.type === "tool_call") this.#open.add(happening.callId);
    return error === "" ? happenings : [...happenings, { type: "error", message: error }];
  }

  /** Only a call that no message told of. */
  #call({ toolCallId, toolName, args }: Fields): readonly AgentHappening[] {
    const callId = textOf(toolCallId);
    if (this.#open.has(callId)) return NOTHING;
    this.#open.add(callId);
    return [{ type: "tool_call", name: textOf(toolName), callId, arguments: args ?? {} }];
  }

  /** It comes twice: from the tool, and as a message to the model. */
  #result(toolCallId: unknown, isError: unknown, result: Fields | null): readonly AgentHappening[] {
    const callId = textOf(toolCallId);
    if (!this.#open.delete(callId)) return NOTHING;
    return [{ type: "tool_result", callId, success: isError !== true, result: resultText(result?.content) }];
  }
}
