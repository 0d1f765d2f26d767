import type { PlotArea } from "../axes/draw.js";
import { estimateTextWidth, truncateName } from "../names.js";
import type { Box } from "../plot/mark.js";

/** A mark that would like its name beside it. */
export interface LabeledMark {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  /** Half of its extent. */
  readonly size: number;
  /** What stands after its name where there is room for it. */
  readonly note?: string;
}

export interface PlacedLabel {
  readonly name: string;
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

const LABEL_HEIGHT = 14;
const MAX_LABEL_WIDTH = 150;
const MAX_NOTE_WIDTH = 200;
const LABEL_GAP = 4;

/** Names beside their marks, as many as do not run into each other; the first ones have the choice. */
export function placeLabels(marks: readonly LabeledMark[], area: PlotArea): PlacedLabel[] {
  const covered = marks.map(({ x, y, size }) => ({ x: x - size, y: y - size, width: 2 * size, height: 2 * size }));
  const names: PlacedName[] = [];
  for (const mark of marks) {
    const text = truncateName(mark.name, MAX_LABEL_WIDTH);
    const taken = [...covered, ...names.map(({ box }) => box)];
    const box = listLabelBoxes(mark, estimateTextWidth(text)).find(
      (place) => isInsideArea(place, area) && isFreeOfOthers(place, taken),
    );
    if (box !== undefined) names.push({ mark, text, box });
  }
  // Notes come after all names: none of them is worth a name.
  for (const name of names) Object.assign(name, appendNote(name, { covered, names, area }));
  return names.map(({ mark: { name }, text, box }) => ({ name, text, x: box.x, y: box.y + LABEL_HEIGHT - 3 }));
}

interface PlacedName {
  mark: LabeledMark;
  text: string;
  box: Box;
}

interface LabelSurroundings {
  covered: readonly Box[];
  names: readonly PlacedName[];
  area: PlotArea;
}

/** The name with its note, to the right of where it stands or to the left; as it is where there is no room. */
function appendNote(name: PlacedName, { covered, names, area }: LabelSurroundings): PlacedName {
  const { mark, text, box } = name;
  if (mark.note === undefined) return name;
  const noted = `${text} ${truncateName(mark.note, MAX_NOTE_WIDTH)}`;
  const width = estimateTextWidth(noted);
  const taken = [...covered, ...names.filter((other) => other !== name).map((other) => other.box)];
  const wider = [box.x, box.x + box.width - width]
    .map((x) => ({ ...box, x, width }))
    .find((place) => isInsideArea(place, area) && isFreeOfOthers(place, taken));
  return wider === undefined ? name : { mark, text: noted, box: wider };
}

/** Right above, where the step of a front does not run through it; then right, left, above and below. */
function listLabelBoxes({ x, y, size }: LabeledMark, width: number): Box[] {
  const at = (left: number, top: number): Box => ({ x: left, y: top, width, height: LABEL_HEIGHT });
  return [
    at(x + size, y - LABEL_HEIGHT - 1),
    at(x + size + LABEL_GAP, y - LABEL_HEIGHT / 2),
    at(x - size - LABEL_GAP - width, y - LABEL_HEIGHT / 2),
    at(x - width / 2, y - size - LABEL_GAP - LABEL_HEIGHT),
    at(x - width / 2, y + size + LABEL_GAP),
  ];
}

function isInsideArea(box: Box, { left, right, top, bottom }: PlotArea): boolean {
  return box.x >= left && box.x + box.width <= right && box.y >= top && box.y + box.height <= bottom;
}

function isFreeOfOthers(box: Box, taken: readonly Box[]): boolean {
  return !taken.some(
    (other) =>
      box.x < other.x + other.width &&
      other.x < box.x + box.width &&
      box.y < other.y + other.height &&
      other.y < box.y + box.height,
  );
}
