/** A place where a text states its final answer. */
export interface StatedAnswer {
  /** Where the answer begins as written: right after the verb, the colon, the tag or the heading. */
  readonly from: number;
  /** Where it begins after filler words and marks: "therefore", "about", quotes, bold. */
  readonly start: number;
  /** Where it ends at the latest: at the closing tag, else at the end of the text. */
  readonly end: number;
  /** What announces it. A heading counts as a colon; "space" is the word "answer" with nothing else after it. */
  readonly by: "box" | "tag" | "verb" | "colon" | "space";
  /** It is called the final answer. */
  readonly isFinal: boolean;
  /** The text only says what the answer is not. */
  readonly isDenied: boolean;
}

export interface FindAnswerOptions {
  /** Other names for the answer, as a global pattern: "choice", "label". A verb or a colon must follow. */
  readonly names?: RegExp;
  /** Whether "A:" at the start of a line announces the answer; false if it may be an option label. */
  readonly isShortNameKnown?: boolean;
}
