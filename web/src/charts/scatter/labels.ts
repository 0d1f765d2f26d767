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
}

export interface Label {
  readonly name: string;
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

const HEIGHT = 14;
const WIDEST = 150;
const GAP = 4;

/** Names beside their marks, as many as do not run into each other; the first ones have the choice. */
export function labelsFor(marks: readonly Named[], area: Area): Label[] {
  const taken: Box[] = marks.map(({ x, y, size }) => ({ x: x - size, y: y - size, width: 2 * size, height: 2 * size }));
  const labels: Label[] = [];
  for (const mark of marks) {
    const text = fitted(mark.name, WIDEST);
    const box = placesFor(mark, widthOf(text)).find((place) => isInside(place, area) && isFree(place, taken));
    if (box === undefined) continue;
    taken.push(box);
    labels.push({ name: mark.name, text, x: box.x, y: box.y + HEIGHT - 3 });
  }
  return labels;
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
