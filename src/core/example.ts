import { describe } from "./shape.js";

/** One message of a multi-turn example. */
export interface Turn {
  role: string;
  content: string;
  [key: string]: unknown;
}

/** What is asked. `context` may be absent when there is a question, and the other way round. */
export interface Example {
  id: string | number;
  context?: string;
  question?: string;
  answer?: string;
  answers?: string[];
  choices?: string[];
  /** Where the dataset's file has each of the choices, when they are shown in another order. */
  choice_order?: readonly number[];
  turns?: Turn[];
  dataset?: string;
  [key: string]: unknown;
}

/** Anything that yields examples: an array, a generator, a stream of rows. */
export type ExampleSource = Iterable<Example> | AsyncIterable<Example>;

/** What tells an example from all others of a run. */
export function exampleKey({ dataset, id }: Pick<Example, "id" | "dataset">): string {
  return `${dataset ?? ""}\u0000${id}`;
}

export function hasId({ id }: Partial<Example>): boolean {
  return id !== undefined && id !== null && id !== "";
}

/** What keeps a value from being an example that can be run; null when nothing does. */
export function problemWithExample(value: unknown): string | null {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return `is ${describe(value)}, not an object`;
  const { id, context, question, turns } = value as Partial<Example>;
  if (id !== undefined && id !== null && typeof id !== "string" && !Number.isFinite(id)) {
    return `has an id that is ${describe(id)}, neither text nor a number`;
  }
  if (context !== undefined && typeof context !== "string")
    return `has a context that is ${describe(context)}, not text`;
  if (question !== undefined && typeof question !== "string") {
    return `has a question that is ${describe(question)}, not text`;
  }
  if (turns !== undefined && !isConversation(turns))
    return 'has turns that are not a list of { "role", "content" } texts';
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
