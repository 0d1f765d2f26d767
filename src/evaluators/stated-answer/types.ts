/** A place where a text says what its final answer is. */
export interface StatedAnswer {
  /** Where the answer begins as it was written: right behind the verb, the colon, the tag or the heading. */
  readonly from: number;
  /** Where it begins behind filling words and marks: "therefore", "about", quotes, bold. */
  readonly start: number;
  /** Where it ends at the latest: at the closing tag, else at the end of the text. */
  readonly end: number;
  /** What announces it. A heading counts as a colon; "space" is the word "answer" with nothing else behind it. */
  readonly by: "box" | "tag" | "verb" | "colon" | "space";
  /** It is said to be the final one. */
  readonly isFinal: boolean;
  /** The text says what the answer is not, and not what it is. */
  readonly isDenied: boolean;
}

export interface FindOptions {
  /** What else the answer is called, as a global pattern: "choice", "label". A verb or a colon must follow. */
  readonly names?: RegExp;
  /** Whether "A:" at the beginning of a line announces the answer; false where it may be the label of an option. */
  readonly isShortNameKnown?: boolean;
}
