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
  turns?: Turn[];
  dataset?: string;
  [key: string]: unknown;
}

/** Anything that yields examples: an array, a generator, a stream of rows. */
export type ExampleSource = Iterable<Example> | AsyncIterable<Example>;
