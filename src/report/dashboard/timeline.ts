import type { AgentHappening, Trajectory, TrajectoryEvent } from "../../core/trajectory.js";
import { formatSeconds, plural } from "../format.js";
import { ToolCalls } from "../timeline-calls.js";
import { joinedTexts, shown } from "../timeline-text.js";
import { argumentsText, gistOf } from "../tool-gist.js";
import { grouped, UsageSoFar } from "../usage-so-far.js";
import type { TimelineStep } from "./contract.js";
import { EditDiffs } from "./timeline-diff.js";
import { TextRoom } from "./timeline-room.js";
import { cutText } from "./trial-cut.js";

/** More are scrolled through by nobody. */
const MOST_STEPS = 5000;
const LONG_TITLE = 200;

/** What one event has to tell; its time and what was spent are added to it. */
type Told = Pick<TimelineStep, "kind" | "title"> &
  Partial<Pick<TimelineStep, "callId" | "isSuccess" | "diff">> & { text?: string };

type Tell = (event: TrajectoryEvent) => Told | null;

/**
 * The work of a trial, step by step. Events may be of any shape, since any system may write them: one that is not known
 * is a step of its own.
 * @example
 * timelineOf({ startedAt: 0, events: [{ type: "error", message: "No space.", timestamp: 1500 }] });
 * // [{ atMs: 1500, kind: "error", title: "", text: "No space.", … }]
 */
export function timelineOf(trajectory: Trajectory): TimelineStep[] {
  return new Timeline(trajectory).steps();
}

/** Goes through the events once; what one means may depend on those before. */
class Timeline {
  readonly #events: readonly TrajectoryEvent[];
  readonly #start: number;
  readonly #calls: ToolCalls;
  readonly #used = new UsageSoFar();
  readonly #room = new TextRoom();
  readonly #diffs = new EditDiffs();
  readonly #tell: Readonly<Record<AgentHappening["type"], Tell>>;
  #hasUsed = false;
  #turn = 0;
  #atMs = 0;

  constructor({ events, startedAt }: Trajectory) {
    this.#events = joinedTexts(events);
    this.#start = startedAt ?? timeOf(events[0]) ?? 0;
    this.#calls = new ToolCalls(events);
    this.#tell = {
      user_message: ({ text }) => ({ kind: "user", title: "", text: shown(text) }),
      assistant_message: ({ text }) => ({ kind: "says", title: "", text: shown(text) }),
      reasoning: ({ text }) => ({ kind: "thinks", title: "", text: shown(text) }),
      tool_call: (event) => this.#call(event),
      tool_result: (event) => this.#result(event),
      token_usage: (event) => this.#tokens(event),
      turn_start: () => ({ kind: "turn", title: `Turn ${++this.#turn}` }),
      turn_end: () => null,
      skill_activation: ({ name }) => ({ kind: "skill", title: shown(name) }),
      error: ({ message }) => ({ kind: "error", title: "", text: shown(message) }),
      system: ({ text }) => ({ kind: "system", title: "", text: shown(text) }),
      custom: ({ name, data }) => ({ kind: "other", title: shown(name), text: shown(data) }),
    };
  }

  steps(): TimelineStep[] {
    const steps: TimelineStep[] = [];
    let leftOut = 0;
    for (const event of this.#events) {
      if (steps.length < MOST_STEPS) steps.push(...this.#stepsOf(event));
      else leftOut += this.#skip(event);
    }
    const title = `${plural(leftOut, "more event")} ${leftOut === 1 ? "is" : "are"} left out`;
    return leftOut === 0 ? steps : [...steps, this.#step({ kind: "other", title })];
  }

  #stepsOf(event: TrajectoryEvent): TimelineStep[] {
    this.#atMs = this.#since(event);
    const isKnown = Object.hasOwn(this.#tell, event.type);
    const told = isKnown ? this.#tell[event.type as AgentHappening["type"]](event) : odd(event);
    return told === null ? [] : [this.#step(told)];
  }

  /** What is not shown was paid for all the same. */
  #skip(event: TrajectoryEvent): number {
    this.#atMs = this.#since(event);
    if (event.type === "token_usage") this.#used.take(event);
    return event.type === "turn_end" ? 0 : 1;
  }

  #step({ kind, title, text = "", callId = null, isSuccess = null, diff = null }: Told): TimelineStep {
    return {
      atMs: this.#atMs,
      kind,
      title: cutText(title, LONG_TITLE),
      text: this.#room.cut(text),
      length: text.length,
      callId,
      isSuccess,
      diff,
      costUsd: this.#hasUsed ? finite(this.#used.costUsd) : null,
      tokens: this.#hasUsed ? finite(this.#used.tokens) : null,
    };
  }

  /** An event without a time is as late as the one before. */
  #since(event: TrajectoryEvent): number {
    const time = timeOf(event);
    return time === null ? this.#atMs : (finite(time - this.#start) ?? this.#atMs);
  }

  #call(event: TrajectoryEvent): Told {
    const { name, isAnswered } = this.#calls.call(event);
    const gist = gistOf(event.arguments).trim();
    const title = `${name}${isAnswered ? "" : " (no result)"}${gist === "" ? "" : `: ${gist}`}`;
    const diff = this.#diffs.of(event.arguments);
    return { kind: "call", title, text: argumentsText(event.arguments), callId: shown(event.callId), diff };
  }

  #result(event: TrajectoryEvent): Told {
    const { success, result, callId } = event;
    const isSuccess = typeof success === "boolean" ? success : null;
    return { kind: "result", title: this.#calls.result(event), text: shown(result), callId: shown(callId), isSuccess };
  }

  #tokens(event: TrajectoryEvent): Told {
    const { input, output } = this.#used.take(event);
    const { model, durationMs } = event;
    this.#hasUsed = true;
    const took = typeof durationMs === "number" ? ` · ${formatSeconds(durationMs / 1000)}` : "";
    const text = `${grouped(input)} in, ${grouped(output)} out${took}`;
    return { kind: "tokens", title: typeof model === "string" ? model : "", text };
  }
}

function odd({ type, timestamp: _, ...data }: TrajectoryEvent): Told {
  return { kind: "other", title: type, text: shown(data) };
}

function timeOf(event: TrajectoryEvent | undefined): number | null {
  return finite(event?.timestamp ?? null);
}

function finite(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
