/** A mark in square brackets, or one that is called a source in round ones. Nothing in brackets is longer than a name. */
const MARKS =
  /\[([^[\]\n]{1,200})\](\([^()\s]{1,500}\))?|【([^【】\n]{1,200})】|\((?:see )?((?:sources?|docs?|documents?|refs?|references?|passages?|citations?)\b[^()\n]{1,100})\)/gi;
const NOUN = /^(?:see )?(?:sources?|docs?|documents?|refs?|references?|passages?|citations?)\.?\s*[:#]?\s*(?=\d)/i;
const RANGE = /^(\d{1,6})\s?[-–—]\s?(\d{1,6})$/;
const NUMBER = /^\d{1,9}$/;
/** A range of more is no citation. */
const LONGEST_RANGE = 200;

/** The name of a source as it is compared: "[1]", "01", "source 1" and 1 are one. */
export function citationId(text: string): string {
  const bare = text
    .trim()
    .replace(/^[[(【]|[\])】]$/g, "")
    .replace(/^\^/, "")
    .replace(/†.*$/, "")
    .trim();
  const name = bare.replace(NOUN, "");
  return NUMBER.test(name) ? String(Number(name)) : name.toLowerCase();
}

/**
 * The sources that a text cites. Words in brackets are a citation only where the golds have names: "[sic]" is none.
 * @example
 * citedIn("Yes [1], [2-4].", new Set(["1"])); // 1, 2, 3, 4
 */
export function citedIn(text: string, golds: ReadonlySet<string>): Set<string> {
  const hasNames = [...golds].some((gold) => !NUMBER.test(gold));
  const cited = new Set<string>();
  for (const [, square, link, lenticular, round] of text.matchAll(MARKS)) {
    const target = link === undefined ? "" : citationId(link.slice(1, -1));
    if (golds.has(target)) cited.add(target);
    for (const id of idsOf(square ?? lenticular ?? round ?? "", golds)) if (hasNames || NUMBER.test(id)) cited.add(id);
  }
  return cited;
}

function idsOf(mark: string, golds: ReadonlySet<string>): string[] {
  const whole = citationId(mark);
  if (golds.has(whole)) return [whole];
  return mark
    .replace(NOUN, "")
    .split(/[,;&]|\band\b/)
    .flatMap((part) => rangeOf(part.trim()) ?? [citationId(part)])
    .filter((id) => id !== "");
}

function rangeOf(part: string): string[] | null {
  const match = RANGE.exec(part);
  const [from, to] = [Number(match?.[1]), Number(match?.[2])];
  if (match === null || to < from || to - from >= LONGEST_RANGE) return null;
  return Array.from({ length: to - from + 1 }, (_, i) => String(from + i));
}
