/** A group with flags of its own, such as `(?i:error)`. */
const FLAGGED_GROUP = /^\(\?([ims]+):/;
/** The head of a group, which is not searched for. */
const GROUP_HEAD = /^\((?:\?(?:[:=!]|<[=!]|<[\w$]+>))?/;
const ESCAPE = /^\\(?:[pP]\{[^}]*\}|k<[^>]*>|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|.)/s;
const CHARACTER_CLASS = /^\[(?:\\.|[^\]\\])*\]/s;

/**
 * Writes groups with flags of their own without them: JavaScript before Node 23 does not know them, other languages do.
 * @example
 * expandFlaggedGroups("(?i:a)b"); // "(?:[aA])b"
 */
export function expandFlaggedGroups(pattern: string): string {
  if (!/\(\?[ims]+:/.test(pattern)) return pattern;
  const open: string[] = [];
  let written = "";
  for (let rest = pattern; rest !== ""; ) {
    const flags = open.at(-1) ?? "";
    const flagged = FLAGGED_GROUP.exec(rest);
    const head = flagged ?? ESCAPE.exec(rest) ?? CHARACTER_CLASS.exec(rest) ?? GROUP_HEAD.exec(rest);
    const part = head?.[0] ?? rest.slice(0, 1);
    if (part.startsWith("(")) open.push(flags + (flagged?.[1] ?? ""));
    if (part === ")") open.pop();
    written += flagged === null ? writePart(part, flags) : "(?:";
    rest = rest.slice(part.length);
  }
  return written;
}

/** A part of a pattern, as it is read with these flags. */
function writePart(part: string, flags: string): string {
  if (flags.includes("s") && part === ".") return "[^]";
  if (flags.includes("m") && part === "^") return "(?<![^\\n\\r])";
  if (flags.includes("m") && part === "$") return "(?![^\\n\\r])";
  if (!flags.includes("i")) return part;
  if (/^[A-Za-z]$/.test(part)) return `[${part}${swapCase(part)}]`;
  return part.startsWith("[") ? addOtherCase(part) : part;
}

/** A class of characters with the letters of the other case; of a range, only if both ends are letters of one case. */
function addOtherCase(characters: string): string {
  const plain = characters.slice(1, -1).replaceAll(/\\./gs, "");
  const others = [...plain.matchAll(/([a-z])-([a-z])|([A-Z])-([A-Z])|[A-Za-z]/g)].map(([part]) => swapCase(part));
  return `${characters.slice(0, -1)}${others.join("")}]`;
}

function swapCase(text: string): string {
  return text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase();
}
