import { diffArrays } from "diff";
import type { AgentHappening, Trajectory, TrajectoryEvent } from "../../core/trajectory.js";
import { formatSeconds, plural } from "../format.js";
import {
  type Arguments,
  argumentsText,
  fileIn,
  gistOf,
  grouped,
  joinedTexts,
  objectOf,
  shown,
  ToolCalls,
  UsageSoFar,
} from "../timeline.js";
import type { TimelineStep } from "./contract.js";
import { cutText } from "./trial-cut.js";

/** More steps would not be read. */
const MOST_STEPS = 5000;
const LONG_TITLE = 200;

/** The content of a step; time and cost are added to it. */
type Told = Pick<TimelineStep, "kind" | "title"> &
  Partial<Pick<TimelineStep, "callId" | "isSuccess" | "diff">> & { text?: string };

type Tell = (event: TrajectoryEvent) => Told | null;

/**
 * Builds the steps of a trial. Any system may write events of any shape: an unknown event becomes its own step.
 * @example
 * buildTimeline({ startedAt: 0, events: [{ type: "error", message: "No space.", timestamp: 1500 }] });
 * // [{ atMs: 1500, kind: "error", title: "", text: "No space.", … }]
 */
export function timelineOf(trajectory: Trajectory): TimelineStep[] {
  return new Timeline(trajectory).steps();
}

/** Reads the events in order, because the meaning of one may depend on those before. */
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

  /** Skipped events still cost money. */
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

  /** An event without a time gets that of the one before. */
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

const LONG = 20_000;
/** For all texts of a timeline together, so that a page can hold it; later texts are cut short. */
const MOST = 4_000_000;
const SHORT = 200;

/** Cuts the texts of one timeline to what a page can show. */
class TextRoom {
  #left = MOST;

  cut(text: string): string {
    const kept = cutText(text, this.#left > 0 ? LONG : SHORT);
    this.#left -= kept.length;
    return kept;
  }
}

/** Names that tools use for the old text, the new text and the text of a whole file. */
const BEFORE = ["old_string", "oldString", "old_str", "oldText"];
const AFTER = ["new_string", "newString", "new_str", "newText", "new_source"];
const WHOLE = ["content", "file_text", "contents"];

const LONG_TEXT = 20_000;
/** Lines compared one by one, per edit and per timeline; the rest is shown as replaced. */
const MOST_COMPARED = 400;
const MOST_COMPARED_IN_ALL = 20_000;
/** Characters of all edits of a timeline; later edits are not shown. */
const MOST_SHOWN = 2_000_000;
const NOT_SHOWN = [" (not shown: earlier edits fill the page)"];

/** Shows what tool calls do to files, within the limits of one timeline. */
export class EditDiffs {
  #left = MOST_COMPARED_IN_ALL;
  #room = MOST_SHOWN;

  /** The lines of an edit, each with a leading `+`, `-` or space; null for a call that edits nothing. */
  of(given: unknown): readonly string[] | null {
    const lines = this.#linesOf(given);
    if (lines === null) return null;
    this.#room -= lines.reduce((sum, { length }) => sum + length + 1, 0);
    return this.#room < 0 ? NOT_SHOWN : lines;
  }

  #linesOf(given: unknown): readonly string[] | null {
    const known = objectOf(given);
    const patched = patchLines(known ?? given, LONG_TEXT);
    if (patched !== null || known === null) return patched;
    const diffs = [known, ...editsIn(known)].flatMap((edit) => this.#edit(edit) ?? []);
    if (diffs.length > 0) return diffs.flatMap((lines, index) => (index === 0 ? lines : [" …", ...lines]));
    const written = fileIn(known) === null ? null : textIn(known, WHOLE);
    return written === null ? null : linesOf(written).map((line) => `+${line}`);
  }

  #edit(edit: Arguments): [string[]] | null {
    const before = textIn(edit, BEFORE);
    const after = textIn(edit, AFTER);
    return before === null && after === null ? null : [this.#diff(linesOf(before ?? ""), linesOf(after ?? ""))];
  }

  #diff(before: readonly string[], after: readonly string[]): string[] {
    const count = before.length + after.length;
    if (count > MOST_COMPARED || count > this.#left)
      return [...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)];
    this.#left -= count;
    return diffArrays([...before], [...after]).flatMap(({ added, removed, value }) => {
      const sign = added ? "+" : removed ? "-" : " ";
      return value.map((line) => sign + line);
    });
  }
}

function editsIn({ edits }: Arguments): Arguments[] {
  const given: readonly unknown[] = Array.isArray(edits) ? edits : [];
  return given.map(objectOf).filter((edit) => edit !== null);
}

function textIn(known: Arguments, names: readonly string[]): string | null {
  const text = names.map((name) => known[name]).find((value) => typeof value === "string");
  return typeof text === "string" ? text : null;
}

/** Without the final line end; an empty text has no lines. */
function linesOf(text: string): string[] {
  if (text === "") return [];
  const kept = cutText(text, LONG_TEXT);
  const lines = kept.replace(/\n$/, "").split("\n");
  return kept.length === text.length ? lines : [...lines, `… ${text.length - kept.length} more characters`];
}

const BEGINNING = "*** Begin Patch";
const ENDING = "*** End Patch";
/** Names that some agents use for the diff in their lists of changed files. */
const DIFFS = ["diff", "unified_diff"];

/** The lines of a patch in the arguments, each with a leading `+`, `-` or space; null when there is none. */
function patchLines(given: unknown, mostCharacters: number): string[] | null {
  const patch = patchIn(given);
  if (patch === null) return null;
  const kept = cutText(patch, mostCharacters);
  const lines = kept.replace(/\n$/, "").split("\n").filter(isTold).map(signed);
  return kept.length === patch.length ? lines : [...lines, ` … ${patch.length - kept.length} more characters`];
}

function patchIn(given: unknown): string | null {
  for (const text of textsIn(given)) {
    const start = text.indexOf(BEGINNING);
    if (start !== -1) return upToEnd(text.slice(start));
  }
  return diffsIn(given);
}

/** In a command, other text may follow the patch. */
function upToEnd(text: string): string {
  const end = text.indexOf(ENDING);
  return end === -1 ? text : text.slice(0, end + ENDING.length);
}

function textsIn(given: unknown): string[] {
  const values = typeof given === "object" && given !== null ? Object.values(given).flat() : [given];
  return values.filter((value) => typeof value === "string");
}

function diffsIn(given: unknown): string | null {
  const { changes } = (given ?? {}) as Arguments;
  if (!Array.isArray(changes)) return null;
  const diffs = changes.flatMap((change) => DIFFS.map((name) => (change as Arguments | null)?.[name]));
  const texts = diffs.filter((diff) => typeof diff === "string" && diff !== "");
  return texts.length === 0 ? null : texts.join("\n");
}

function isTold(line: string): boolean {
  return line !== BEGINNING && line !== ENDING;
}

function signed(line: string): string {
  return /^[+\- ]/.test(line) ? line : ` ${line}`;
}
