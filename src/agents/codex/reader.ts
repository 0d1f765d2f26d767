import type { AgentHappening } from "../../core/trajectory.js";
import { type Fields, fieldsOf, textOf } from "../../models/dialects/fields.js";
import type { AgentEnd, AgentFigures, StreamReader } from "../adapter.js";
import { UnknownEvents } from "../unknown-events.js";
import { failureOf } from "./ending.js";
import { type ToolItem, toolOf } from "./tools.js";
import { CodexUsage } from "./usage.js";

/** Known, and nothing that happened in the work. A turn of theirs is all that one prompt leads to. */
const QUIET = new Set(["thread.started", "turn.started"]);

/** Reads the events of `codex exec --json`. */
export class CodexReader implements StreamReader {
  end: AgentEnd | null = null;
  response = "";
  /** The stream does not tell them. */
  readonly version = null;
  readonly model = null;
  readonly #unknown = new UnknownEvents();
  readonly #usage = new CodexUsage();
  /** Calls that were told and have no result yet. */
  readonly #open = new Set<string>();
  #plans = 0;
  #isInTurn = false;
  #hasSubAgents = false;
  #lastError = "";

  /** A turn that failed tells no usage, and that of sub-agents is told to nobody. */
  get figures(): AgentFigures {
    const isPartial = this.end?.kind !== "done" || this.#hasSubAgents;
    return { usage: this.#usage.usage, costUsd: null, isPartial };
  }

  get unknown(): ReadonlyMap<string, number> {
    return this.#unknown.counts;
  }

  read(event: unknown): readonly AgentHappening[] {
    const fields = fieldsOf(event) ?? {};
    const type = textOf(fields.type);
    if (type.startsWith("item.")) return this.#readItem(type, fieldsOf(fields.item) ?? {});
    switch (type) {
      case "turn.completed":
        this.#usage.add(fields.usage);
        return this.#finish({ kind: "done" });
      case "turn.failed":
        return this.#readFailure(textOf(fieldsOf(fields.error)?.message) || "The turn failed.");
      case "error":
        return this.#readError(textOf(fields.message));
      default:
        return QUIET.has(type) ? [] : this.#unknown.tell(event, type || "untyped");
    }
  }

  #readItem(type: string, item: Fields): AgentHappening[] {
    const tool = toolOf(item);
    if (item.type === "collab_tool_call") this.#hasSubAgents = true;
    if (tool !== null) return this.#readTool(tool, textOf(item.id), type === "item.completed");
    if (item.type === "todo_list") return type === "item.completed" ? [] : this.#readPlan(item);
    return type === "item.completed" ? this.#readWords(item) : [];
  }

  /** Some calls are told when they begin and when they end, others only when they end. */
  #readTool(tool: ToolItem, callId: string, isOver: boolean): AgentHappening[] {
    const { name, success, result } = tool;
    const call: AgentHappening[] = this.#open.has(callId)
      ? []
      : [...this.#act(), { type: "tool_call", name, callId, arguments: tool.arguments }];
    if (isOver) this.#open.delete(callId);
    else this.#open.add(callId);
    if (!isOver) return call;
    return [...call, ...(tool.isHosted ? [] : this.#rest()), { type: "tool_result", callId, success, result }];
  }

  /** The plan is one item that changes; each time it was written by a call. */
  #readPlan(item: Fields): AgentHappening[] {
    this.#plans += 1;
    const callId = `${textOf(item.id)}.${this.#plans}`;
    return [
      ...this.#act(),
      { type: "tool_call", name: "todo_list", callId, arguments: { items: item.items } },
      ...this.#rest(),
      { type: "tool_result", callId, success: true, result: "" },
    ];
  }

  #readWords(item: Fields): AgentHappening[] {
    const text = textOf(item.text);
    switch (item.type) {
      case "agent_message":
        this.response = text;
        return [...this.#act(), { type: "assistant_message", text }];
      case "reasoning":
        return [...this.#act(), { type: "reasoning", text }];
      case "error":
        return this.#readError(textOf(item.message));
      default:
        return this.#unknown.tell(item, `item/${textOf(item.type) || "untyped"}`);
    }
  }

  #readError(message: string): AgentHappening[] {
    this.#lastError = message;
    return [{ type: "error", message }];
  }

  /** What made it fail was told as an error just before. */
  #readFailure(message: string): AgentHappening[] {
    const told: AgentHappening[] = message === this.#lastError ? [] : this.#readError(message);
    return [...told, ...this.#finish(failureOf(message))];
  }

  #finish(end: AgentEnd): AgentHappening[] {
    this.end = end;
    return this.#rest();
  }

  /** The model did something: the first time after results, this is a new turn. */
  #act(): AgentHappening[] {
    if (this.#isInTurn) return [];
    this.#isInTurn = true;
    return [{ type: "turn_start" }];
  }

  /** Results came back, or all is over. */
  #rest(): AgentHappening[] {
    if (!this.#isInTurn) return [];
    this.#isInTurn = false;
    return [{ type: "turn_end" }];
  }
}
