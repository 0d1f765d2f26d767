const QUOTE = '"';
const BACKSLASH = "\\";
/** What Python writes for numbers that JSON has no words for. */
const NO_NUMBERS = /-?\bInfinity\b|\bNaN\b/g;

/**
 * JSON as other tools write it: a byte order mark is passed over, and NaN and Infinity, which Python writes though JSON
 * has none, are read as null.
 * @example
 * readJson('{"cost_of_pass": Infinity}'); // { cost_of_pass: null }
 */
export function readJson(text: string): unknown {
  const plain = text.startsWith("\ufeff") ? text.slice(1) : text;
  try {
    return JSON.parse(plain);
  } catch (error) {
    if (plain.search(NO_NUMBERS) === -1) throw error;
    return JSON.parse(withoutNoNumbers(plain));
  }
}

/** Only what stands outside of texts is changed. Walked by hand: a pattern over texts of megabytes runs out of stack. */
function withoutNoNumbers(json: string): string {
  const pieces: string[] = [];
  for (let at = 0; at < json.length; ) {
    const open = json.indexOf(QUOTE, at);
    const start = open === -1 ? json.length : open;
    const end = open === -1 ? json.length : endOfText(json, open);
    pieces.push(json.slice(at, start).replaceAll(NO_NUMBERS, "null"), json.slice(start, end));
    at = end;
  }
  return pieces.join("");
}

function endOfText(json: string, open: number): number {
  for (let at = open + 1; ; ) {
    const close = json.indexOf(QUOTE, at);
    if (close === -1) return json.length;
    if (!isEscaped(json, close)) return close + 1;
    at = close + 1;
  }
}

function isEscaped(json: string, at: number): boolean {
  let before = at - 1;
  while (json[before] === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}
