/**
 * The one spelling of a path, decoded: clients, and whoever wants to get past a table of paths, spell one in many ways,
 * and servers take most of them for the same. Escapes are read once, a backslash counts as a slash, empty and dot
 * segments are gone; the root is "".
 * @example
 * normalizePath("/chat//%63ompletions/"); // "/chat/completions"
 */
export function normalizePath(raw: string): string {
  const kept: string[] = [];
  for (const segment of raw.split("/").map(decode).join("/").split(/[/\\]/)) {
    if (segment === "..") kept.pop();
    else if (segment !== "" && segment !== ".") kept.push(segment);
  }
  return kept.map((segment) => `/${segment}`).join("");
}

/** A decoded path as it is sent. */
export function encodePath(path: string): string {
  return encodeURI(path).replace(/[?#]/g, encodeURIComponent);
}

/** A text without its escapes; as it is when they make no sense. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
