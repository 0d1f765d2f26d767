/** The first line of a text. */
export function firstLine(text: string): string {
  const end = text.indexOf("\n");
  return end === -1 ? text : text.slice(0, end);
}

/** The lines that are not blank, the last one first, without the space around them. */
export function* linesFromEnd(text: string): Generator<string> {
  for (let stop = text.trimEnd().length; stop > 0; ) {
    const start = text.lastIndexOf("\n", stop - 1) + 1;
    const line = text.slice(start, stop).trim();
    if (line !== "") yield line;
    stop = start - 1;
  }
}

/** Whether a line ends as sentences do, and was not cut off. */
export function isFinished(line: string): boolean {
  return /[.!?。！？।✅✓]["'”’)*\]}$`]{0,4}$/u.test(line.trimEnd());
}
