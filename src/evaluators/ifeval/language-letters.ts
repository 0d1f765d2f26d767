/** Longer texts are judged by their beginning. */
const MOST_CHARACTERS = 10_000;
const LONGEST_RUN = 3;
const URL_TEXT = /https?:\/\/[-_.?&~;+=/#0-9A-Za-z]{1,2076}/g;
const MAIL_TEXT = /[-_.0-9A-Za-z]{1,64}@[-_0-9A-Za-z]{1,255}[-_.0-9A-Za-z]{1,255}/g;
/** A vowel and a mark that Vietnamese writes as one character. */
const VIETNAMESE = /[AEIOUYaeiouyÂÊÔâêôĂăƠơƯư][\u0300\u0301\u0303\u0309\u0323]/gu;
const UPPER = /^\p{Uppercase}$/u;

/** What stands between words: all of these are the same as a space. */
const SPACES_OF_LATIN_1 = "\u00a0«°»";

/** A block of characters that are not told apart: its first and last, and the one that stands for all. */
const BLOCKS: readonly (readonly [first: number, last: number, standIn: string])[] = [
  [0x1ea0, 0x1eff, "\u1ec3"],
  [0x2000, 0x206f, " "],
  [0x3040, 0x309f, "\u3042"],
  [0x30a0, 0x30ff, "\u30a2"],
  [0x3100, 0x312f, "\u3105"],
  [0x31a0, 0x31bf, "\u3105"],
  [0xac00, 0xd7af, "\uac00"],
];

/** Letters that are written in two ways: the Romanian s and t with a comma, and the Persian yeh. */
const SPELLINGS: Readonly<Record<string, string>> = { "\u0219": "\u015f", "\u021b": "\u0163", "\u06cc": "\u064a" };

/**
 * The runs of one to three letters by which a language is recognised, in the order of the text. Words in capitals give
 * only their first letter and their end, so that abbreviations do not count.
 */
export function letterRuns(text: string, alike: ReadonlyMap<string, string>): string[] {
  const runs: string[] = [];
  let run = " ";
  for (const character of mainScript(beginning(text))) {
    const letter = standIn(character, alike);
    const last = run.at(-1) ?? " ";
    if (last === " " && letter === " ") continue;
    run = (last === " " ? " " : run.slice(1 - LONGEST_RUN)) + letter;
    const isInCapitals = UPPER.test(letter) && UPPER.test(last);
    if (!isInCapitals) for (let size = 1; size <= run.length; size++) runs.push(run.slice(-size));
  }
  return runs;
}

/** The characters that are looked at, without addresses and with single spaces. */
function beginning(text: string): string[] {
  const plain = withoutAddresses(text).replace(VIETNAMESE, (pair) => pair.normalize("NFC"));
  const kept: string[] = [];
  let last = "";
  let count = 0;
  for (const character of plain) {
    if (++count > MOST_CHARACTERS) break;
    if (character !== " " || last !== " ") kept.push(character);
    last = character;
  }
  return kept;
}

function withoutAddresses(text: string): string {
  const plain = text.replace(URL_TEXT, " ");
  // Most texts have none, and looking for what may precede the sign takes a hundred steps a letter.
  return plain.includes("@") ? plain.replace(MAIL_TEXT, " ") : plain;
}

/** Without Latin letters where they are the smaller part: names and terms in a text of another script. */
function mainScript(characters: string[]): string[] {
  let latin = 0;
  let other = 0;
  for (const character of characters) {
    if (isLatin(character)) latin += 1;
    else if (character >= "\u0300") other += 1;
  }
  return latin * 2 < other ? characters.filter((character) => !isLatin(character)) : characters;
}

function isLatin(character: string): boolean {
  return character >= "A" && character <= "z";
}

function standIn(character: string, alike: ReadonlyMap<string, string>): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return /[A-Za-z]/.test(character) ? character : " ";
  if (code <= 0xff) return SPACES_OF_LATIN_1.includes(character) ? " " : character;
  const block = BLOCKS.find(([first, last]) => code >= first && code <= last);
  return block?.[2] ?? SPELLINGS[character] ?? alike.get(character) ?? character;
}
