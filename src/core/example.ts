import type { ExampleFile } from "./example-file.js";
import { findLimitsProblem } from "./example-limits.js";
import { describeValue } from "./shape.js";
import { findUserProblem } from "./simulated-user.js";
import type { Output } from "./system.js";

/** One message of a multi-turn example. */
export interface Turn {
  role: string;
  content: string;
  [key: string]: unknown;
}

/** The fields of an example that have a meaning to Assay. */
export type BaseExample = {
  id: string | number;
  context?: string;
  question?: string;
  answer?: string;
  answers?: string[];
  choices?: string[];
  /** The position of each choice in the dataset file, if they are shown in another order. */
  choice_order?: readonly number[];
  turns?: Turn[];
  /** Sent to models with the question; see `attachFiles`. */
  images?: readonly ExampleFile[];
  /** PDF and text documents, sent to models with the question; see `attachFiles`. */
  files?: readonly ExampleFile[];
  dataset?: string;
  /**
   * What the run does otherwise for this example: its trials, and the time and the dollars of each, such as
   * `{ trials: 5, timeout: "10m", max_cost_usd: 2 }`.
   */
  limits?: unknown;
  /**
   * A user that a model plays, who writes the next message after each answer, such as
   * `{ persona: "a busy customer", goal: "to get a refund", max_turns: 6, stop: "[END]" }`.
   */
  user?: unknown;
};

/**
 * What a system is asked. Needs a `context` or a `question`, unless every system reads other columns, such as a prompt's.
 * `Example<Row>` has the fields of a row besides; without a row type, any other field is unknown.
 * @example
 * const getCity = (example: Example<{ city: string }>) => example.city;
 */
export type Example<Row extends object = Record<string, unknown>> = BaseExample & Row;

/** Anything that yields examples: an array, a generator, a stream of rows. */
export type ExampleSource = Iterable<Example> | AsyncIterable<Example>;

/** Unique within a run. */
export function getExampleKey({ dataset, id }: Pick<Example, "id" | "dataset">): string {
  return `${dataset ?? ""}\u0000${id}`;
}

export function hasId({ id }: Partial<Example>): boolean {
  return id !== undefined && id !== null && id !== "";
}

/** Describes why a value is not a runnable example; null if it is one. `needsText`: it must have a context or a question. */
export function findExampleProblem(value: unknown, needsText = true): string | null {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return `is ${describeValue(value)}, not an object`;
  const { id, context, question, turns } = value as Partial<Example>;
  if (id !== undefined && id !== null && typeof id !== "string" && !Number.isFinite(id)) {
    return `has an id that is ${describeValue(id)}, not a string or number`;
  }
  if (context !== undefined && typeof context !== "string")
    return `has a context that is ${describeValue(context)}, not a string`;
  if (question !== undefined && typeof question !== "string") {
    return `has a question that is ${describeValue(question)}, not a string`;
  }
  if (turns !== undefined && !isConversation(turns))
    return 'has turns that are not a list of { "role", "content" } strings';
  const limits = findLimitsProblem(value);
  if (limits !== null) return limits;
  const user = findUserProblem(value);
  if (user !== null) return user;
  const asks = Boolean(context) || Boolean(question) || (turns !== undefined && turns.length > 0);
  return asks || !needsText ? null : "has neither context nor question";
}

export function isConversation(turns: unknown): turns is Turn[] {
  return Array.isArray(turns) && turns.every(isTurn);
}

/** Roles have several names in datasets: "human" is the user, "model" the assistant. */
export function normalizeRole(role: string): "user" | "assistant" | "system" {
  const known = role.toLowerCase();
  if (known === "assistant" || known === "model") return "assistant";
  return known === "system" || known === "developer" ? "system" : "user";
}

/** True if the system must answer this turn: the user speaks, and the example has no assistant turn after it. */
export function isOpenTurn(turn: Turn, next: Turn | undefined): boolean {
  return normalizeRole(turn.role) === "user" && (next === undefined || normalizeRole(next.role) !== "assistant");
}

/** True if the question is asked after the turns: it is not empty, and the last turn does not ask it already. */
export function asksAfterTurns({ turns = [], question }: Pick<Example, "turns" | "question">): boolean {
  const last = turns.at(-1);
  const isSaid = last !== undefined && normalizeRole(last.role) === "user" && last.content === question;
  return question !== undefined && question !== "" && !isSaid;
}

/** How many messages the system must answer: its open turns, and the question after them. */
export function countAskedTurns(example: Pick<Example, "turns" | "question">): number {
  const { turns } = example;
  if (!isConversation(turns) || turns.length === 0) return 1;
  const open = turns.filter((turn, at) => isOpenTurn(turn, turns[at + 1])).length;
  return open + (asksAfterTurns(example) ? 1 : 0);
}

/**
 * The example as if the messages that a simulated user wrote in this trial had been in it, for graders and judges. Returns
 * the example itself if there were none.
 */
export function applyUserMessages(example: Example, { userMessages }: Pick<Output, "userMessages">): Example {
  const last = userMessages?.at(-1);
  if (userMessages === undefined || last === undefined) return example;
  const { turns = [], question = "", context = "" } = example;
  const toTurn = (content: string): Turn => ({ role: "user", content });
  const opening = asksAfterTurns(example) ? [question] : turns.length === 0 ? [context] : [];
  return { ...example, turns: [...turns, ...[...opening, ...userMessages.slice(0, -1)].map(toTurn)], question: last };
}

function isTurn(turn: unknown): turn is Turn {
  const { role, content } = (turn ?? {}) as Partial<Turn>;
  return typeof role === "string" && typeof content === "string";
}

export const OPTION_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/**
 * Formats options as lettered lines.
 * @example
 * renderChoices(["Rome", "Paris"]); // "A. Rome\nB. Paris"
 */
export function renderChoices(choices: readonly string[]): string {
  return choices.map((choice, index) => `${OPTION_LETTERS[index]}. ${choice}`).join("\n");
}

/** Whether a value is a permutation of 0..count-1. */
export function isChoiceOrder(value: unknown, count: number): value is number[] {
  return Array.isArray(value) && value.length === count && new Set(value).size === count && value.every(isPosition);

  function isPosition(position: unknown): boolean {
    return typeof position === "number" && Number.isInteger(position) && position >= 0 && position < count;
  }
}

/**
 * The order in which an example shows its choices, as positions in the dataset file; null without choices. Without a
 * `choice_order` this is the order of the file.
 */
export function readChoiceOrder({ choices, choice_order }: Example): readonly number[] | null {
  if (!Array.isArray(choices)) return null;
  return isChoiceOrder(choice_order, choices.length) ? choice_order : [...choices.keys()];
}

/**
 * Reorders the choices of an example as the output saw them, so that answer letters keep their meaning. Returns the
 * example itself if the output names no order or the same one.
 */
export function applyChoiceOrder(example: Example, order: unknown): Example {
  const shown = readChoiceOrder(example);
  const { choices, question } = example;
  if (shown === null || choices === undefined || !isChoiceOrder(order, shown.length)) return example;
  if (order.every((position, index) => position === shown[index])) return example;
  const moved = order.map((position) => choices[shown.indexOf(position)] as string);
  return {
    ...example,
    choices: moved,
    choice_order: order,
    ...moveGold(example, choices, (index) => order.indexOf(shown[index] as number)),
    ...(question === undefined
      ? {}
      : { question: question.replace(renderChoices(choices), () => renderChoices(moved)) }),
  };
}

/** A letter by itself or before the text of its choice, such as "B", "(B)" or "B. Paris". */
const LETTER_GOLD = /^(\s*\(?)([a-z])(\)?[.:]?\s*$|(?:[).:]|\)[.:])\s+\S[\s\S]*$)/i;

/** The gold answers that name a place among the choices, at their new places. Texts of choices stay as they are. */
function moveGold(
  { answer, answers, answer_index: index, label }: Example,
  choices: readonly string[],
  move: (index: number) => number,
): Partial<Example> {
  const texts = new Set(choices.map((text) => String(text).trim()));
  const isPlace = (value: unknown): value is number => Number.isInteger(value) && Number(value) in choices;
  const moveLetter = <Gold>(gold: Gold): Gold | string => {
    const [, before = "", letter = "", after = ""] =
      typeof gold !== "string" || texts.has(gold.trim()) ? [] : (LETTER_GOLD.exec(gold) ?? []);
    const at = letter === "" ? -1 : OPTION_LETTERS.indexOf(letter.toUpperCase());
    if (!isPlace(at)) return gold;
    const moved = OPTION_LETTERS[move(at)] ?? letter;
    return before + (letter === letter.toLowerCase() ? moved.toLowerCase() : moved) + after;
  };
  return {
    ...(answer !== undefined && { answer: moveLetter(answer) }),
    ...(Array.isArray(answers) && { answers: answers.map(moveLetter) }),
    ...(index !== undefined && { answer_index: isPlace(index) ? move(index) : moveLetter(index) }),
    ...(label !== undefined && { label: isPlace(label) ? move(label) : moveLetter(label) }),
  };
}
