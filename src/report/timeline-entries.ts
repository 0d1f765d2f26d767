import type { AgentHappening, TrajectoryEvent } from "../core/trajectory.js";
import { ToolCalls } from "./timeline-calls.js";
import { joinedTexts, shown } from "./timeline-text.js";
import { argumentsText, gistOf } from "./tool-gist.js";
import { UsageSoFar } from "./usage-so-far.js";

/** One thing on a timeline. */
export interface Entry {
  readonly timestamp: number;
  readonly label: string;
  readonly text: string;
  readonly maxLines: number;
}

/** What a timeline shows, and how often what it does not show occurred. */
export interface Told {
  readonly entries: readonly Entry[];
  readonly untold: ReadonlyMap<string, number>;
}

type Tell = (event: TrajectoryEvent) => Omit<Entry, "timestamp"> | null;

/** The entries of a timeline. Events may be of any shape: systems write them, and not all are agents. */
export function entriesOf(events: readonly TrajectoryEvent[], isFull: boolean): Told {
  return new Telling(events, isFull).told();
}

/** Goes through the events once; what one means may depend on those before. */
class Telling {
  readonly #events: readonly TrajectoryEvent[];
  readonly #isFull: boolean;
  readonly #calls: ToolCalls;
  readonly #used = new UsageSoFar();
  readonly #untold = new Map<string, number>();
  readonly #tell: Readonly<Record<AgentHappening["type"], Tell>>;
  #turn = 0;

  constructor(events: readonly TrajectoryEvent[], isFull: boolean) {
    this.#events = joinedTexts(events);
    this.#isFull = isFull;
    this.#calls = new ToolCalls(events);
    this.#tell = {
      user_message: ({ text }) => ({ label: "user", text: shown(text), maxLines: 8 }),
      assistant_message: ({ text }) => ({ label: "says", text: shown(text), maxLines: 12 }),
      reasoning: ({ text }) => ({ label: "thinks", text: shown(text), maxLines: 4 }),
      tool_call: (event) => this.#call(event),
      tool_result: (event) => this.#result(event),
      token_usage: (event) => ({ label: "tokens", text: this.#used.add(event), maxLines: 3 }),
      turn_start: () => this.#turnStart(),
      turn_end: () => null,
      skill_activation: ({ name }) => ({ label: "skill", text: shown(name), maxLines: 1 }),
      error: ({ message }) => ({ label: "error", text: shown(message), maxLines: 8 }),
      system: ({ text }) => ({ label: "system", text: shown(text), maxLines: 3 }),
      custom: (event) => this.#other(shown(event.name), event.data),
    };
  }

  told(): Told {
    const entries = this.#events.flatMap((event) => {
      const { type, timestamp } = event;
      const known = Object.hasOwn(this.#tell, type)
        ? this.#tell[type as AgentHappening["type"]](event)
        : this.#odd(event);
      return known === null ? [] : { timestamp, ...known };
    });
    return { entries, untold: this.#untold };
  }

  #turnStart(): Omit<Entry, "timestamp"> {
    this.#turn += 1;
    return { label: `turn ${this.#turn}`, text: "", maxLines: 1 };
  }

  #call(event: TrajectoryEvent): Omit<Entry, "timestamp"> {
    const { name, isAnswered } = this.#calls.call(event);
    const given = this.#isFull ? argumentsText(event.arguments) : gistOf(event.arguments);
    return {
      label: "calls",
      text: `${name}${isAnswered ? "" : " (no result)"}${given === "" ? "" : `: ${given}`}`,
      maxLines: 3,
    };
  }

  #result(event: TrajectoryEvent): Omit<Entry, "timestamp"> {
    const head = this.#calls.result(event);
    const text = shown(event.result).trim();
    return {
      label: event.success === false ? "failed" : "ok",
      text: text === "" ? head : `${head}: ${text}`,
      maxLines: 6,
    };
  }

  #odd({ type, timestamp: _, ...data }: TrajectoryEvent): Omit<Entry, "timestamp"> | null {
    return this.#other(type, data);
  }

  #other(name: string, data: unknown): Omit<Entry, "timestamp"> | null {
    if (this.#isFull) return { label: "other", text: `${name}: ${shown(data)}`, maxLines: 1 };
    this.#untold.set(name, (this.#untold.get(name) ?? 0) + 1);
    return null;
  }
}
