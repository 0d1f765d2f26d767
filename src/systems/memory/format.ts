import type { ExampleFields } from "../../datasets/catalog/entry.js";
import type { RawRow } from "../../datasets/source-row.js";
import type { Conversation } from "./conversation.js";

/** A question about a conversation, before its dataset is set. */
export interface MemoryQuestion extends ExampleFields {
  id: string;
  question: string;
  question_type: string;
  /** When it is asked, as in the dataset. */
  question_date?: string;
  /** Where the answer is: ids of turns or sessions. */
  evidence?: string[];
  /** True if the correct answer is that the conversation does not say. */
  unanswerable?: boolean;
}

/** One item of a published file. */
export interface MemoryItem {
  readonly conversation: Conversation;
  readonly questions: readonly MemoryQuestion[];
}

/** Parses a published item. Throws `RowProblem` if it is invalid. */
export type MemoryFormat = (item: RawRow) => MemoryItem;
