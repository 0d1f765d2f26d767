/** A response without what is no part of its text: a byte-order mark, no-break spaces as indents, MBPP's markers. */
export function cleaned(response: string): string {
  const text = response.replace(/^\uFEFF/, "").replace(/^[ \t\u00A0]+/gm, (indent) => indent.replaceAll("\u00A0", " "));
  return betweenMarkers(text);
}

/** MBPP's own prompt asks for code between [BEGIN] and [DONE]; the first marker is often the prompt's. */
function betweenMarkers(text: string): string {
  const begin = /^[ \t]{0,20}\[BEGIN\][ \t]{0,20}$/m.exec(text);
  const rest = begin === null ? text : text.slice(begin.index + begin[0].length);
  const done = /^[ \t]{0,20}\[DONE\]|\[DONE\][ \t]{0,20}$/m.exec(rest);
  return done === null ? rest : rest.slice(0, done.index);
}
