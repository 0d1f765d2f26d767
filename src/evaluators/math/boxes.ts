/** The content of a box, and where the box stands. */
export interface Box {
  readonly content: string;
  readonly start: number;
  readonly end: number;
}

const OPENING = /\\(?:boxed|fbox|framebox)\s*\{/g;
const SPACED = /\\boxed +([^${}\n]{1,200})/g;

/**
 * What is in the last `\boxed{…}` or `\fbox{…}`; null without a box that is closed and says something. Boxes in a row,
 * joined by a comma, "and" or "or", are one answer.
 */
export function lastBox(text: string): Box | null {
  if (!text.includes("\\boxed") && !text.includes("\\f")) return null;
  const boxes = closedBoxes(text).filter(({ content }) => content.trim() !== "");
  const last = boxes.pop();
  return last === undefined ? spacedBox(text) : joinedBoxes(text, boxes, last);
}

/** One pass with a stack, since a text may open a box a thousand times and close none. */
function closedBoxes(text: string): Box[] {
  const openings = new Map<number, number>();
  for (const match of text.matchAll(OPENING)) openings.set(match.index + match[0].length - 1, match.index);
  const [first] = openings.keys();
  if (first === undefined) return [];
  const open: number[] = [];
  const boxes: Box[] = [];
  for (let at = first; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") at += 1;
    else if (character === "{") open.push(at);
    else if (character === "}") {
      const brace = open.pop();
      const start = brace === undefined ? undefined : openings.get(brace);
      if (brace !== undefined && start !== undefined)
        boxes.push({ content: text.slice(brace + 1, at), start, end: at + 1 });
    }
  }
  return boxes.sort((a, b) => a.start - b.start);
}

const SPACE = "(?:[\\s$.~]|\\\\(?:[()[\\],;]|q?quad))*";
const JOINT = new RegExp(
  `^${SPACE}(?:,|,?\\s*(?:and|or)\\b|\\\\text\\{\\s*,?\\s*(?:and|or)\\s*\\})${SPACE}(?:[a-z](?:_\\d)?\\s*=\\s*)?$`,
);
const MAX_JOINT = 40;
const MAX_JOINED = 20;

function joinedBoxes(text: string, before: readonly Box[], last: Box): Box {
  const joined = [last];
  for (const box of before.slice(-MAX_JOINED).reverse()) {
    const next = joined.at(-1)?.start ?? 0;
    const isJoined = next - box.end <= MAX_JOINT && JOINT.test(text.slice(box.end, next));
    if (!isJoined) break;
    joined.push(box);
  }
  const contents = new Set(joined.reverse().map(({ content }) => content.trim()));
  return { ...last, content: [...contents].join(", ") };
}

/** `\boxed 24`, as some of the MATH solutions write it. */
function spacedBox(text: string): Box | null {
  const match = [...text.matchAll(SPACED)].pop();
  const content = match?.[1]?.trim() ?? "";
  return match === undefined || content === ""
    ? null
    : { content, start: match.index, end: match.index + match[0].length };
}
