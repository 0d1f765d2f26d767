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
function isEmptyTurn(text: string): boolean {
  const bare = text.trim();
  return bare === "" || (bare.length <= MAX_SHORT_TURN && bare.replace(TURN_MARKS, "").trim() === "");
}

/** Reasoning marks: tag names, and the brackets of Mistral, Kimi and Seed. */
const REASONING_MARK =
  /<\/?(?:seed:)?(?:think(?:ing)?|thoughts?|reasoning)>|\[\/?THINK\]|◁\/?think▷|<\|(?:begin|end)_of_thought\|>/gi;
/** OpenAI's open models name the channel they write to. */
const CHANNEL = /<\|channel\|>\s?(\w{1,20})[^<\n]{0,80}(?:<\|constrain\|>\s?\w{1,20}\s?)?<\|message\|>/g;
/** The same after the marks were dropped: "analysis…assistantfinal…". */
const BARE_CHANNEL = "assistantfinal";

/**
 * Removes reasoning. A block that is never opened was opened by the prompt. One that is never closed hides nothing, nor
 * does a response of reasoning alone: published graders score the whole text.
 * @example
 * stripReasoning("<think>A? No.</think>B"); // "B"
 */
export function stripReasoning(response: string): string {
  const text = extractFinalChannel(response);
  const { spoken, unfinished } = splitReasoning(text);
  const own = joinParts([...spoken, unfinished.replace(REASONING_MARK, "\n")]);
  return own === "" ? text.replace(REASONING_MARK, "\n") : own;
}

/**
 * Like `stripReasoning`, for code that is run and tools that are called, which must not come from a draft: unclosed
 * reasoning, and a response of reasoning alone, are removed.
 * @example
 * stripAllReasoning("<think>rm()"); // ""
 */
export function stripAllReasoning(response: string): string {
  return joinParts(splitReasoning(extractFinalChannel(response)).spoken);
}

function extractFinalChannel(text: string): string {
  const bare = text.startsWith("analysis") ? text.lastIndexOf(BARE_CHANNEL) : -1;
  if (bare !== -1) return text.slice(bare + BARE_CHANNEL.length);
  let rest = text;
  for (const { 0: mark, 1: channel, index } of text.matchAll(CHANNEL)) {
    const isFinal = channel === "final";
    const isFirst = rest === text && text.slice(0, index).replace("<|start|>assistant", "").trim() === "";
    if (isFinal || isFirst) rest = text.slice(index + mark.length);
  }
  return isEmptyTurn(rest) ? text : rest;
}

/** The text outside of all blocks, and a block without an end. */
function splitReasoning(text: string): { spoken: string[]; unfinished: string } {
  let spoken: string[] = [];
  let from = 0;
  let isOpen = false;
  for (const { 0: mark, index } of text.matchAll(REASONING_MARK)) {
    if (isClosingMark(mark)) {
      if (!isOpen) spoken = [];
      from = index + mark.length;
      isOpen = false;
    } else if (!isOpen) {
      spoken.push(text.slice(from, index));
      from = index;
      isOpen = true;
    }
  }
  const rest = text.slice(from);
  return isOpen ? { spoken, unfinished: rest } : { spoken: [...spoken, rest], unfinished: "" };
}

function isClosingMark(mark: string): boolean {
  return mark.includes("/") || mark.toLowerCase().includes("end_of");
}

function joinParts(parts: readonly string[]): string {
  return parts.filter((part) => !isEmptyTurn(part)).join("\n");
}

/**
 * The part of a response that answers the question: without reasoning,
 * and cut where its turn ends or where a base model continues with another question.
 * @example
 * extractOwnAnswer("<think>A?</think>The answer is B.<|im_end|>"); // "The answer is B."
 */
export function extractOwnAnswer(response: string): string {
  return cutAtNextQuestion(extractFirstTurn(stripReasoning(response)));
}

const QUESTIONS =
  "Q|Question|QUESTION|Problem|PROBLEM|Exercise|Frage|Pregunta|Вопрос|Задача|Swali|問題|问题|質問|প্রশ্ন|ప్రశ్న|โจทย์";
/** Starts the next question of a few-shot prompt, in the languages of MGSM. */
const MARKER = new RegExp(
  `\\n[ \\t]*(?:\\*\\*)?(?:${QUESTIONS}|Human|User|Premise|Claim|Passage|Context|#{2,3} ?(?:Instruction|Question|Problem|Input|Human|User))[ \\t]?\\d{0,3}[ \\t]?(?::|：|\\n)` +
    // These also occur within an answer, so there must be an answer before.
    "|\\n[ \\t]*(?<doubtful>(?:\\*\\*|#{2,4} )?Example[ \\t]?\\d{1,3}[ \\t]?[:：\\n]|\\[Question\\]|The following (?:are|is) (?:an? )?multiple[- ]choice question|以下[^\\n]{0,40}?(?:选择题|選擇題))",
  "g",
);
/** These are also headings within one answer, unless a blank line precedes. */
const HEADING = /^\n[ \t]*(?:\*\*)?(?:Premise|Claim|Passage|Context)/;
const FEW_SHOT = /^\n[ \t]*Q[ \t]?\d{0,3}[ \t]?[:：]/;
/** The next question of a prompt without such words: a paragraph, its options, and "Answer:". */
const LISTED_QUESTION =
  /\n[ \t]*\n(?:[^\n]+\n){1,8}?(?:[ \t]*\n)?[ \t]*\(?A[.):、．][^\n]*\n[ \t]*\(?B[.):、．][^\n]*\n(?:[ \t]*\(?[C-J][.):、．][^\n]*\n)*(?:[ \t]*\n)?[ \t]*[*_]{0,2}(?:Answer|答案)[ \t]*[:：]/;
/** A letter or a number alone at the start of a response. */
const LONE_ANSWER = /^[*_([]{0,3}(?:[A-Za-z]|[-$]{0,2}\d[\d,.]*)[)\].*_]{0,4}[ \t]*(?:\n|$)/;
/** An answer in GSM8K's form, with another one after it; a heading has words in it. */
const HASH_ANSWER = /(?:^|\n)#### ?[-$]{0,2}\d[\d,.]*[ \t]*(?=\n|$)/g;
const ANSWERED = [
  /\\boxed|####/,
  /\banswer\b[*_"')\]]{0,4}\s?(?:[:：=]|[-–—] |\d)/i,
  /\banswers?\b[^.\n]{0,60}?\b(?:is|are|was|be|equals)\b/i,
  /\b(?:is|are|was|be) (?:therefore |thus )?(?:the|our|my) (?:final |correct )?answer\b/i,
  /antwort|respuesta|réponse|ответ|jibu|答|정답|উত্তর|సమాధానం|คำตอบ/i,
];
/** Said before the question is repeated. */
const OPENER =
  /^(?:sure|ok(?:ay)?|certainly|of course|let(?:['’]s| us| me)|here|alright|great|first|to |(?:i|we)(?:['’]ll| will| need| must| have to))\b/i;
const MAX_FEW_WORDS = 3;
const MAX_SHORT_ANSWER = 200;

/**
 * Cuts a response where it continues with another question, like the stop sequences of the official harnesses. A
 * response that first repeats its own question is not cut there: an answer must precede.
 */
function cutAtNextQuestion(text: string): string {
  return cutAtMarker(cutAtListedQuestion(cutAtSecondHash(text)));
}

function cutAtSecondHash(text: string): string {
  const answers = text.matchAll(HASH_ANSWER);
  const first = answers.next().value;
  if (first === undefined || answers.next().value === undefined) return text;
  const end = first.index + first[0].length;
  return /^\n[ \t]*\n/.test(text.slice(end, end + 100)) ? text.slice(0, end) : text;
}

function cutAtListedQuestion(text: string): string {
  const at = text.search(LISTED_QUESTION);
  if (at === -1) return text;
  const before = text.slice(0, at);
  return hasLeadingAnswer(before.trim()) || ANSWERED.some((pattern) => pattern.test(before)) ? before : text;
}

function cutAtMarker(text: string): string {
  const start = text.length - text.trimStart().length;
  let hasAnswer = false;
  let hasDigit = false;
  let from = start;
  for (const { index, 0: marker, groups } of text.matchAll(MARKER)) {
    if (index < start) continue;
    // Search only what was not searched before: a megabyte may be full of markers.
    const part = text.slice(from, index);
    hasAnswer ||= ANSWERED.some((pattern) => pattern.test(part));
    hasDigit ||= /\d/.test(part);
    const isApart = hasTrailingBlankLine(part);
    const before = text.slice(start, Math.min(index, start + MAX_SHORT_ANSWER)).trim();
    const isPossible = isApart || !HEADING.test(marker);
    const isDoubtful = groups?.doubtful !== undefined;
    const isClear =
      hasAnswer || hasLeadingAnswer(before) || (hasDigit && !isDoubtful && (isApart || FEW_SHOT.test(marker)));
    if (
      isPossible &&
      (isClear ||
        (isApart && FEW_SHOT.test(marker) && !isOpeningPhrase(before) && !/[:：]$/.test(part.trimEnd().slice(-1))))
    )
      return text.slice(0, index);
    from = index;
  }
  return text;
}

function hasLeadingAnswer(text: string): boolean {
  return LONE_ANSWER.test(text) || isShortAnswer(text);
}

function isShortAnswer(text: string): boolean {
  return text !== "" && !isOpeningPhrase(text) && text.split(/\s+/).length <= MAX_FEW_WORDS;
}

function isOpeningPhrase(text: string): boolean {
  return text === "" || OPENER.test(text) || /[:：!]$/.test(text);
}

function hasTrailingBlankLine(text: string): boolean {
  return text.slice(text.trimEnd().length).includes("\n");
}
