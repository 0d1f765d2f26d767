/**
 * The order of ids as people count: numbers before texts, and `q2` before `q10`. Same for every reader, since it asks no
 * language.
 * @example
 * ["q10", "q2", 3].sort(compareIds); // [3, "q2", "q10"]
 */
export function compareIds(a: string | number, b: string | number): number {
  if (typeof a === "number") return typeof b === "number" ? a - b : -1;
  return typeof b === "number" ? 1 : compareTexts(a, b);
}

function compareTexts(a: string, b: string): number {
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    const [x, y] = [readDigits(a, i), readDigits(b, j)];
    const areNumbers = x !== "" && y !== "";
    const order = areNumbers ? compareDigits(x, y) : a.charCodeAt(i) - b.charCodeAt(j);
    if (order !== 0) return order;
    i += areNumbers ? x.length : 1;
    j += areNumbers ? y.length : 1;
  }
  const rest = a.length - i - (b.length - j);
  // `q1` and `q01` count the same and are not: an order leaves no two of them alike.
  return rest !== 0 ? rest : Number(a > b) - Number(a < b);
}

function readDigits(text: string, at: number): string {
  let end = at;
  while (isDigit(text.charCodeAt(end))) end++;
  return text.slice(at, end);
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** By their value, however long they are. */
function compareDigits(a: string, b: string): number {
  const [x, y] = [a.replace(/^0+(?=\d)/, ""), b.replace(/^0+(?=\d)/, "")];
  return x.length - y.length || Number(x > y) - Number(x < y);
}
