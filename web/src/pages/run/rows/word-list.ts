/**
 * Several words as one value of an address. A comma stands between them, and one inside a word is escaped.
 * @example
 * joinValues(["pass", "a,b"]); // "pass,a\\,b"
 */
export function joinValues(words: readonly string[]): string {
  return words.map((word) => word.replace(/[\\,]/g, "\\$&")).join(",");
}

/** The words of a value that `joinValues` made; none when it is empty or missing. */
export function splitValues(value: string | undefined): string[] {
  if (value === undefined || value === "") return [];
  const words: string[] = [];
  let word = "";
  for (let i = 0; i < value.length; i++) {
    if (value[i] === ",") {
      words.push(word);
      word = "";
    } else {
      if (value[i] === "\\") i++;
      word += value[i] ?? "";
    }
  }
  return [...words, word];
}
