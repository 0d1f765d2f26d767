import { cleaned } from "./clean.js";

const BULLET = /^[ \t]*(?:[-*•]|\d{1,3}[.)])[ \t]+/;
const LONGEST = 20_000;
/** A dash before a number may be its sign. */
const WORDED_BULLET = new RegExp(`${BULLET.source}(?!\\d)`);

/** The texts that may be a list at the beginning of an answer: its bullets, its first paragraph, all of it. */
export function listsIn(rest: string): string[] {
  const text = rest.trimStart().slice(0, LONGEST);
  const lines = text.split("\n");
  const end = text.search(/\n[ \t]*\r?\n/);
  const paragraph = end === -1 ? text : text.slice(0, end);
  return [bullets(lines), withoutBullets(paragraph), withoutBullets(text)].filter((list) => list !== "");
}

/** A list as it is compared: its words in lower case, however they are separated. */
export function wordsOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/["“”[\]]/g, "")
    .split(/[\s,;]+/)
    .filter((word) => word !== "")
    .join(" ");
}

/** The items of a list with marks; a blank line may stand between them, a remark ends it. */
function bullets(lines: readonly string[]): string {
  const items: string[] = [];
  for (const line of lines) {
    if (line.trim() === "") continue;
    if (!BULLET.test(line)) break;
    items.push(cleaned(line.replace(BULLET, "")));
  }
  return items.join(" ");
}

function withoutBullets(text: string): string {
  return cleaned(
    text
      .split("\n")
      .map((line) => line.replace(BULLET, ""))
      .join("\n"),
  );
}

/** A line without the mark of a list, unless it is one of several items: these may be what there is to choose from. */
export function withoutOnlyBullet(line: string, text: string): string {
  const items = text.slice(-LONGEST).match(new RegExp(BULLET.source, "gm")) ?? [];
  return items.length === 1 ? line.replace(WORDED_BULLET, "") : line;
}
