const OPEN = "<think>";
const CLOSE = "</think>";

/**
 * The part of a response that is meant for the reader, without what the model thought aloud before it. A block that is
 * never closed was cut off, so that nothing after it is an answer; one that is never opened was opened by the prompt.
 */
export function withoutThinking(text: string): string {
  const closed = text.lastIndexOf(CLOSE);
  const rest = closed === -1 ? text : text.slice(closed + CLOSE.length);
  const before = closed === -1 ? "" : text.slice(0, Math.max(0, text.indexOf(OPEN)));
  const open = rest.indexOf(OPEN);
  return before + (open === -1 ? rest : rest.slice(0, open));
}
