import { UsageError } from "../../core/errors.js";
import type { Example, Turn } from "../../core/example.js";
import { describe } from "../../core/shape.js";
import type { ExampleFields } from "../../datasets/catalog/entry.js";
import type { RawRow } from "../../datasets/row-table.js";

/** What was said in one sitting. */
export interface Session {
  readonly id: string;
  /** When it took place, as the dataset writes it. */
  readonly date?: string;
  readonly turns: readonly Turn[];
}

/**
 * A history that questions are asked about: sessions in the order of time.
 * @example
 * const talk: Conversation = { id: "c1", sessions: [{ id: "S1", date: "8 May 2023", turns: [{ role: "user", content: "I moved to Bern." }] }] };
 */
export interface Conversation {
  readonly id: string;
  readonly sessions: readonly Session[];
}

/** Where conversations are looked up by their id. */
export type Conversations = Pick<ReadonlyMap<string, Conversation>, "get">;

/**
 * All turns of a conversation in the order of time, each with its `session` and, where it is known, its `date`.
 * @example
 * turnsOf(talk)[0]; // { role: "user", content: "I moved to Bern.", session: "S1", date: "8 May 2023" }
 */
export function turnsOf({ sessions }: Conversation): Turn[] {
  return sessions.flatMap(turnsOfSession);
}

/** The turns of one session as a memory is given them. */
export function turnsOfSession({ id, date, turns }: Session): Turn[] {
  return turns.map((turn) => ({ ...turn, session: id, ...(date === undefined ? {} : { date }) }));
}

/** A question about a conversation, before it has its dataset. */
export interface MemoryQuestion extends ExampleFields {
  id: string;
  question: string;
  question_type: string;
  /** When it is asked, as the dataset writes it. */
  question_date?: string;
  /** Where the answer is said: ids of turns or of sessions. */
  evidence?: string[];
  /** True when the right answer is to say that the conversation does not tell. */
  unanswerable?: boolean;
}

/** What an item of a published file holds. */
export interface MemoryItem {
  readonly conversation: Conversation;
  readonly questions: readonly MemoryQuestion[];
}

/** Reads an item as it was published. Throws `RowProblem` for one it cannot use. */
export type MemoryFormat = (item: RawRow) => MemoryItem;

/**
 * Types of questions whose published answer says what a good answer takes into account, instead of giving one. LoCoMo has
 * none, and f1 is what its authors report.
 */
const RUBRIC_TYPES: readonly string[] = ["single-session-preference"];

/** What there is to say of questions that words shared with a gold answer tell little about. */
export function rubricNotes(examples: readonly Example[]): string[] {
  return RUBRIC_TYPES.flatMap((type) => {
    const count = examples.filter(({ question_type }) => question_type === type).length;
    if (count === 0) return [];
    return `${count} ${count === 1 ? "question" : "questions"} of the type ${type}: the gold says what a good answer takes into account, so that f1 means little there; have a judge decide (--judge-model, or \`judge\` in code)`;
  });
}

/** What is checked of the options that measure memories, before anything is loaded. */
interface Given {
  systems?: unknown;
  dataset?: unknown;
  load?: unknown;
  judge?: unknown;
}

/** Throws for options that are of the wrong kind. Those of a memory's or a reader's own shape are looked at on use. */
export function checkMemoryOptions(options: unknown): void {
  if (!isObject(options)) throw wrong("The options of evaluateMemory()", "an object", options);
  const { systems, dataset, load, judge } = options as Given;
  checkSystems(systems);
  checkDataset(dataset);
  if (load !== undefined && !isObject(load)) throw wrong("`load`", "an object, such as { file }", load);
  if (judge !== undefined && !has(judge, "score")) throw wrong("`judge`", "an evaluator, with a method score()", judge);
}

function checkSystems(systems: unknown): void {
  if (!Array.isArray(systems)) throw wrong("`systems`", "an array", systems);
  if (systems.length === 0) throw new UsageError("There is no memory to measure. Give at least one in `systems`.");
  const odd = systems.findIndex((one) => !isObject(one) && typeof one !== "function" && typeof one !== "string");
  if (odd === -1) return;
  throw new UsageError(
    `\`systems\` holds ${describe(systems[odd])}. Give memories, functions that make one, or names such as "bm25:10".`,
  );
}

function checkDataset(given: unknown): void {
  if (typeof given === "string") return;
  const { dataset, conversations } = (isObject(given) ? given : {}) as { dataset?: unknown; conversations?: unknown };
  if (isObject(dataset) && "examples" in dataset && has(conversations, "get")) return;
  throw wrong("`dataset`", "a name such as locomo, or an object with a `dataset` and its `conversations`", given);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function has(value: unknown, method: string): boolean {
  return isObject(value) && typeof (value as Record<string, unknown>)[method] === "function";
}

function wrong(what: string, wanted: string, value: unknown): UsageError {
  return new UsageError(`${what} must be ${wanted}, but is ${describe(value)}.`);
}
