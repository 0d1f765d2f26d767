import type { ExampleFields } from "../../datasets/catalog/entry.js";
import type { RawRow } from "../../datasets/source-row.js";
import type { Conversation } from "./conversation.js";

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
