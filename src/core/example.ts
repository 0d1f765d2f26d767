import { describeValue } from "./shape.js";

/** One message of a multi-turn example. */
export interface Turn {
  role: string;
  content: string;
  [key: string]: unknown;
}

/** What a system is asked. Needs a `context` or a `question`. */
export interface Example {
  id: string | number;
  context?: string;
  question?: string;
  answer?: string;
  answers?: string[];
  choices?: string[];
  /** The position of each choice in the dataset file, if they are shown in another order. */
  choice_order?: readonly number[];
  turns?: Turn[];
  dataset?: string;
  [key: string]: unknown;
}

/** Anything that yields examples: an array, a generator, a stream of rows. */
export type ExampleSource = Iterable<Example> | AsyncIterable<Example>;

/** Unique within a run. */
export function getExampleKey({ dataset, id }: Pick<Example, "id" | "dataset">): string {
  return `${dataset ?? ""}\u0000${id}`;
}

export function hasId({ id }: Partial<Example>): boolean {
  return id !== undefined && id !== null && id !== "";
}

/** Describes why a value is not a runnable example; null if it is one. */
export function findExampleProblem(value: unknown): string | null {
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
  const asks = Boolean(context) || Boolean(question) || (turns !== undefined && turns.length > 0);
  return asks ? null : "has neither context nor question";
}

export function isConversation(turns: unknown): turns is Turn[] {
  return Array.isArray(turns) && turns.every(isTurn);
}

function isTurn(turn: unknown): turn is Turn {
  const { role, content } = (turn ?? {}) as Partial<Turn>;
  return typeof role === "string" && typeof content === "string";
}
