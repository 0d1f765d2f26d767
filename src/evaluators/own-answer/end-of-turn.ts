/** End-of-turn tokens of open models' chat formats, left in the response. */
const NAMES = "im_end|im_start|endoftext|eot_id|eot|end_of_text|start_header_id|end|user|eom_id|return|call|endofturn";
const END =
  /<\|(?:end_of_turn_token|start_of_turn_token)\|>|<\/s>|<eos>|<(?:end|start)_of_turn>|\[\/?INST\]|<｜(?:end▁of▁sentence|User)｜>/;
const END_OF_TURN = new RegExp(`<\\|(?:${NAMES})\\|>|<(?:im_end|im_start|endoftext)>|${END.source}`, "i");
/** A turn may also begin with such marks and a speaker's name. */
const BEGINNING =
  /^(?:\s|<s>|<bos>|<\|begin_of_text\|>|<\|(?:im_start|start)\|>|<start_of_turn>|<\|start_header_id\|>|<\|end_header_id\|>|<\|assistant\|>|<｜Assistant｜>|(?<=[>])(?:assistant|model)(?=\s|<))+/i;

/** The response up to its first end-of-turn mark. */
export function firstTurn(text: string): string {
  // Keep plain white space: the first line of code may be indented.
  const begun = text.trimStart().startsWith("<") ? text.replace(BEGINNING, "") : text;
  const end = begun.search(END_OF_TURN);
  return end === -1 || begun.slice(0, end).trim() === "" ? begun : begun.slice(0, end);
}

const SHORT = 200;
const MARKS = new RegExp(
  `${END_OF_TURN.source}|<s>|<bos>|<\\|(?:start|begin_of_text|end_header_id|assistant)\\|>`,
  "gi",
);

/** Whether a text is only white space and end-of-turn marks. */
export function saysNothing(text: string): boolean {
  const bare = text.trim();
  return bare === "" || (bare.length <= SHORT && bare.replace(MARKS, "").trim() === "");
}
