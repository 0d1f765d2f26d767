/** Parts of sentences. */
const SUBJECTS = [
  "The first part",
  "A later step",
  "Some other case",
  "What remains",
  "The next idea",
  "One more detail",
  "Each of these",
];
const VERBS = ["leads to", "depends on", "rules out", "comes before", "is close to"];
const OBJECTS = [
  "a plain result",
  "the older plan",
  "an open question",
  "a smaller change",
  "the given task",
  "another file",
  "a short list",
  "the last remark",
];

/**
 * A text of so many characters in which no sentence comes twice: agents take a model that repeats itself for one that is
 * caught in a loop, and stop.
 */
export function filler(chars: number): string {
  const parts: string[] = [];
  for (let length = 0, index = 0; length < chars; index++) {
    const sentence = sentenceOf(index);
    parts.push(sentence);
    length += sentence.length;
  }
  return parts.join("").slice(0, Math.max(0, chars));
}

/** Its number, twice, makes each part of it unlike all others. */
function sentenceOf(index: number): string {
  const [subject, verb, object] = [SUBJECTS, VERBS, OBJECTS].map((words) => words[index % words.length]);
  const mark = numeral(index);
  return `${subject} (${mark}) ${verb} ${object} ${mark}. `;
}

/** Short words that a tokenizer counts as one token each, as it does most of a real answer. */
const DIGITS =
  "red oak sun map car key hat pen cup box dog cat sea sky ice air arm leg eye ear day way job law oil tea bag bus toy gas ant bee".split(
    " ",
  );

/** A number in words, so that two pieces of the text differ soon, whatever an agent makes of digits. */
function numeral(index: number): string {
  const last = DIGITS[index % DIGITS.length] ?? "";
  const rest = Math.floor(index / DIGITS.length);
  return rest < DIGITS.length ? `${DIGITS[rest]} ${last}` : `${numeral(rest)} ${last}`;
}
