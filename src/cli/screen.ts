import { createLayout, type Layout, type Screen } from "../report/index.js";

type Environment = Readonly<Record<string, string | undefined>>;

export interface OutputStream {
  isTTY?: boolean;
  columns?: number;
}

/** Of a terminal that does not say how wide it is. */
const DEFAULT_WIDTH = 80;

/**
 * How wide the output is and whether it has colors. A terminal is drawn for its width. A pipe or file gets Markdown, unless
 * COLUMNS is set.
 */
export function detectScreen(stream: OutputStream = process.stdout, env: Environment = process.env): Screen {
  const width = stream.isTTY === true ? stream.columns || DEFAULT_WIDTH : readColumns(env.COLUMNS);
  return width === undefined ? {} : { width, hasColors: hasColors(stream, env) };
}

function readColumns(columns: string | undefined): number | undefined {
  const count = Number(columns);
  return columns !== undefined && Number.isInteger(count) && count > 0 ? count : undefined;
}

/** As Node and most programs do it: FORCE_COLOR decides, then NO_COLOR, then whether it is a terminal that has colors. */
function hasColors(stream: OutputStream, { FORCE_COLOR, NO_COLOR, TERM }: Environment): boolean {
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  return stream.isTTY === true && TERM !== "dumb";
}

/** True if lines can be redrawn: a terminal that knows escape codes. */
export function canRedraw(stream: OutputStream, { TERM }: Environment = process.env): boolean {
  return stream.isTTY === true && TERM !== "dumb";
}

/** The layout of what a command prints to stdout. */
export function createScreenLayout(): Layout {
  return createLayout(detectScreen());
}
