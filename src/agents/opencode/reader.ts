import type { AgentEvent, AgentHappening } from "../../core/trajectory.js";
import { type Fields, fieldsOf, textOf } from "../../models/dialects/fields.js";
import type { AgentEnd, AgentFigures, StreamReader } from "../adapter.js";
import { OwnFigures } from "../own-figures.js";
import { UnknownEvents } from "../unknown-events.js";
import { endOfError, endOfStep } from "./end.js";
import { usageOf } from "./tokens.js";

const NOTHING: readonly AgentHappening[] = [];

/** What a sub-agent does is not on the stream. */
const SUB_AGENT = "task";

/**
 * Reads the events of `opencode run --format json`. There is no final event: the run is over with the first step that
 * does not end for the sake of tool calls, unless another step begins.
 */
export class OpencodeReader implements StreamReader {
  readonly version = null;
  readonly model = null;
  end: AgentEnd | null = null;
  response = "";
  #message = "";
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
    const part = fieldsOf(fields.part) ?? {};
    switch (fields.type) {
      case "step_start":
        this.end = null;
        return [{ type: "turn_start" }];
      case "step_finish":
        return this.#step(part);
      case "text":
        return this.#text(part);
      case "reasoning":
        return [{ type: "reasoning", text: textOf(part.text) }];
      case "tool_use":
        return this.#tool(part);
      case "error":
        return this.#error(fields.error);
      default:
        return this.#unknown.tell(event);
    }
  }

  #step({ reason, tokens, cost }: Fields): readonly AgentHappening[] {
    this.end = endOfStep(textOf(reason));
    const usage = usageOf(fieldsOf(tokens));
    if (usage !== null) this.#own.add(usage, cost);
    return [{ type: "turn_end" }];
  }

  /** Parts of one message are one text. */
  #text({ text, messageID }: Fields): readonly AgentHappening[] {
    const said = textOf(text);
    if (said === "") return NOTHING;
    const message = textOf(messageID);
    this.response = message === this.#message ? this.response + said : said;
    this.#message = message;
    return [{ type: "assistant_message", text: said }];
  }

  /** It is told when it is over, so that the times it had are worth more than the moment it is read. */
  #tool({ tool, callID, state }: Fields): readonly AgentHappening[] {
    if (tool === SUB_AGENT) this.#own.isPartial = true;
    const { status, input, output, error, time } = fieldsOf(state) ?? {};
    const callId = textOf(callID);
    const { start, end } = fieldsOf(time) ?? {};
    return [
      at(start, { type: "tool_call", name: textOf(tool), callId, arguments: input ?? {} }),
      at(end, {
        type: "tool_result",
        callId,
        success: status === "completed",
        result: textOf(output) || textOf(error),
      }),
    ];
  }

  #error(error: unknown): readonly AgentHappening[] {
    const { end, message } = endOfError(error);
    this.end = end;
    // What a step used that never came to its end is not told.
    this.#own.isPartial = true;
    return [{ type: "error", message }];
  }
}

function at(timestamp: unknown, happening: AgentHappening): AgentHappening | AgentEvent {
  return typeof timestamp === "number" ? { ...happening, timestamp } : happening;
}
