/** One line of a comparison: kept in both, only before (-), or only after (+). */
export interface LineEdit {
  readonly sign: " " | "-" | "+";
  readonly line: string;
}

/** Beyond so many edits the rest is shown as replaced: the work grows with their square. */
const MAX_EDITS = 1000;

/**
 * The shortest way from some lines to others, by the greedy method of Myers.
 * @example
 * lineEdits(["a", "b"], ["a", "c"]); // " a", "-b", "+c"
 */
export function lineEdits(before: readonly string[], after: readonly string[]): LineEdit[] {
  const start = commonStart(before, after);
  const end = commonEnd(before, after, start);
  const middleBefore = before.slice(start, before.length - end);
  const middleAfter = after.slice(start, after.length - end);
  return [
    ...signed(" ", before.slice(0, start)),
    ...(shortestEdits(middleBefore, middleAfter) ?? replaced(middleBefore, middleAfter)),
    ...signed(" ", before.slice(before.length - end)),
  ];
}

function commonStart(before: readonly string[], after: readonly string[]): number {
  const most = Math.min(before.length, after.length);
  let length = 0;
  while (length < most && before[length] === after[length]) length += 1;
  return length;
}

function commonEnd(before: readonly string[], after: readonly string[], start: number): number {
  const most = Math.min(before.length, after.length) - start;
  let length = 0;
  while (length < most && before.at(-1 - length) === after.at(-1 - length)) length += 1;
  return length;
}

function signed(sign: LineEdit["sign"], lines: readonly string[]): LineEdit[] {
  return lines.map((line) => ({ sign, line }));
}

function replaced(before: readonly string[], after: readonly string[]): LineEdit[] {
  return [...signed("-", before), ...signed("+", after)];
}

/** For each diagonal, how far along `before` one gets with so many edits. */
type Reach = Int32Array;

/** Null when there are too many. */
function shortestEdits(before: readonly string[], after: readonly string[]): LineEdit[] | null {
  if (before.length === 0 || after.length === 0) return replaced(before, after);
  const most = Math.min(before.length + after.length, MAX_EDITS);
  const history: Reach[] = [];
  let reach: Reach = new Int32Array(2 * most + 3);
  for (let edits = 0; edits <= most; edits++) {
    history.push(reach.slice());
    reach = advance({ before, after, reach, edits, middle: most + 1 });
    const end = reach[most + 1 + before.length - after.length] ?? -1;
    const isReached = Math.abs(before.length - after.length) <= edits && end >= before.length;
    if (isReached && (before.length - after.length - edits) % 2 === 0) return traced(before, after, history);
  }
  return null;
}

interface Advance {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly reach: Reach;
  readonly edits: number;
  /** Where diagonal 0 is. */
  readonly middle: number;
}

function advance({ before, after, reach, edits, middle }: Advance): Reach {
  for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
    let x = startOn(diagonal, { reach, edits, middle });
    while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
    reach[middle + diagonal] = x;
  }
  return reach;
}

function startOn(diagonal: number, { reach, edits, middle }: Pick<Advance, "reach" | "edits" | "middle">): number {
  if (edits === 0) return 0;
  const below = reach[middle + diagonal - 1] ?? 0;
  const above = reach[middle + diagonal + 1] ?? 0;
  return isInsertion(diagonal, edits, below < above) ? above : below + 1;
}

function isInsertion(diagonal: number, edits: number, isFartherAbove: boolean): boolean {
  return diagonal === -edits || (diagonal !== edits && isFartherAbove);
}

function traced(before: readonly string[], after: readonly string[], history: readonly Reach[]): LineEdit[] {
  const edits: LineEdit[] = [];
  let [x, y] = [before.length, after.length];
  for (let count = history.length - 1; count > 0; count--) {
    const reach = history[count] ?? new Int32Array();
    const middle = (reach.length - 1) / 2;
    const diagonal = x - y;
    const below = reach[middle + diagonal - 1] ?? 0;
    const above = reach[middle + diagonal + 1] ?? 0;
    const inserts = isInsertion(diagonal, count, below < above);
    const from = inserts ? above : below + 1;
    for (; x > from; x--, y--) edits.push({ sign: " ", line: before[x - 1] ?? "" });
    if (inserts) edits.push({ sign: "+", line: after[--y] ?? "" });
    else edits.push({ sign: "-", line: before[--x] ?? "" });
  }
  for (; x > 0; x--) edits.push({ sign: " ", line: before[x - 1] ?? "" });
  return edits.reverse();
}
