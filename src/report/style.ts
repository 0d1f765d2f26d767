import { styleText } from "node:util";
import type { Tone } from "./markdown.js";

const FORMATS = {
  heading: "bold",
  best: "bold",
  faint: "dim",
  good: "green",
  bad: "red",
  warning: "yellow",
} as const satisfies Record<Tone, Parameters<typeof styleText>[0]>;

/** Adds the escape codes of a tone to a text. */
export type Paint = (text: string, tone: Tone) => string;

/** Without colors a text stays as it is. */
export function createPaint(hasColors: boolean): Paint {
  if (!hasColors) return (text) => text;
  // Whether the terminal shows colors was decided before, from more than its stream.
  return (text, tone) => (text === "" ? "" : styleText(FORMATS[tone], text, { validateStream: false }));
}
