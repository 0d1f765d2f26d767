/** End-of-turn tokens of open models' chat formats, left in the response. */
const TURN_MARK_NAMES =
  "im_end|im_start|endoftext|eot_id|eot|end_of_text|start_header_id|end|user|eom_id|return|call|endofturn";
const TURN_END =
  /<\|(?:end_of_turn_token|start_of_turn_token)\|>|<\/s>|<eos>|<(?:end|start)_of_turn>|\[\/?INST\]|<｜(?:end▁of▁sentence|User)｜>/;
const END_OF_TURN = new RegExp(
  `<\\|(?:${TURN_MARK_NAMES})\\|>|<(?:im_end|im_start|endoftext)>|${TURN_END.source}`,
  "i",
);
/** A turn may also begin with such marks and a speaker's name. */
const TURN_START =
  /^(?:\s|<s>|<bos>|<\|begin_of_text\|>|<\|(?:im_start|start)\|>|<start_of_turn>|<\|start_header_id\|>|<\|end_header_id\|>|<\|assistant\|>|<｜Assistant｜>|(?<=[>])(?:assistant|model)(?=\s|<))+/i;

/** The response up to its first end-of-turn mark. */
export function extractFirstTurn(text: string): string {
  // Keep plain white space: the first line of code may be indented.
  const begun = text.trimStart().startsWith("<") ? text.replace(TURN_START, "") : text;
  const end = begun.search(END_OF_TURN);
  return end === -1 || begun.slice(0, end).trim() === "" ? begun : begun.slice(0, end);
}

const MAX_SHORT_TURN = 200;
const TURN_MARKS = new RegExp(
  `${END_OF_TURN.source}|<s>|<bos>|<\\|(?:start|begin_of_text|end_header_id|assistant)\\|>`,
  "gi",
);

/** Whether a text is only white space and end-of-turn marks. */
export function isEmptyTurn(text: string): boolean {
  const bare = text.trim();
  return bare === "" || (bare.length <= MAX_SHORT_TURN && bare.replace(TURN_MARKS, "").trim() === "");
}
