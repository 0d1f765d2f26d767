import type { Area } from "../axes/draw.js";
import { fitted, widthOf } from "../names.js";
import type { Box } from "../plot/mark.js";

/** A mark that would like its name beside it. */
export interface Named {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  /** Half of its extent. */
  readonly size: number;
  /** What stands after its name where there is room for it. */
  readonly note?: string;
}

export interface Label {
  readonly name: string;
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

const HEIGHT = 14;
const WIDEST = 150;
const WIDEST_NOTE = 200;
const GAP = 4;

/** Names beside their marks, as many as do not run into each other; the first ones have the choice. */
export function labelsFor(marks: readonly Named[], area: Area): Label[] {
  const covered = marks.map(({ x, y, size }) => ({ x: x - size, y: y - size, width: 2 * size, height: 2 * size }));
  const names: PlacedName[] = [];
  for (const mark of marks) {
    const text = fitted(mark.name, WIDEST);
    const taken = [...covered, ...names.map(({ box }) => box)];
    const box = placesFor(mark, widthOf(text)).find((place) => isInside(place, area) && isFree(place, taken));
    if (box !== undefined) names.push({ mark, text, box });
  }
  // Notes come after all names: none of them is worth a name.
  for (const name of names) Object.assign(name, withNote(name, { covered, names, area }));
  return names.map(({ mark: { name }, text, box }) => ({ name, text, x: box.x, y: box.y + HEIGHT - 3 }));
}

interface PlacedName {
  mark: Named;
  text: string;
  box: Box;
}

interface Surroundings {
  covered: readonly Box[];
  names: readonly PlacedName[];
  area: Area;
}

/** The name with its note, to the right of where it stands or to the left; as it is where there is no room. */
function withNote(name: PlacedName, { covered, names, area }: Surroundings): PlacedName {
  const { mark, text, box } = name;
  if (mark.note === undefined) return name;
  const noted = `${text} ${fitted(mark.note, WIDEST_NOTE)}`;
  const width = widthOf(noted);
  const taken = [...covered, ...names.filter((other) => other !== name).map((other) => other.box)];
  const wider = [box.x, box.x + box.width - width]
    .map((x) => ({ ...box, x, width }))
    .find((place) => isInside(place, area) && isFree(place, taken));
  return wider === undefined ? name : { mark, text: noted, box: wider };
}

/** Right above, where the step of a front does not run through it; then right, left, above and below. */
function placesFor({ x, y, size }: Named, width: number): Box[] {
  const at = (left: number, top: number): Box => ({ x: left, y: top, width, height: HEIGHT });
  return [
    at(x + size, y - HEIGHT - 1),
    at(x + size + GAP, y - HEIGHT / 2),
    at(x - size - GAP - width, y - HEIGHT / 2),
    at(x - width / 2, y - size - GAP - HEIGHT),
    at(x - width / 2, y + size + GAP),
  ];
}

function isInside(box: Box, { left, right, top, bottom }: Area): boolean {
  return box.x >= left && box.x + box.width <= right && box.y >= top && box.y + box.height <= bottom;
}

function isFree(box: Box, taken: readonly Box[]): boolean {
  return !taken.some(
    (other) =>
      box.x < other.x + other.width &&
      other.x < box.x + box.width &&
      box.y < other.y + other.height &&
      other.y < box.y + box.height,
  );
}
