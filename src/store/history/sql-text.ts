/** A text as SQL writes it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A list of texts as SQL writes it. */
export function quotedList(texts: readonly string[]): string {
  return `[${texts.map(quoted).join(", ")}]`;
}
