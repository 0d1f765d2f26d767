import { cutText } from "./trial-cut.js";

const LONG = 20_000;
/** Of all texts of a timeline together; what comes after them is cut short, so that a page can hold it. */
const MOST = 4_000_000;
const SHORT = 200;

/** Cuts the texts of one timeline to what a page can show. */
export class TextRoom {
  #left = MOST;

  /** The beginning of a text. */
  cut(text: string): string {
    const kept = cutText(text, this.#left > 0 ? LONG : SHORT);
    this.#left -= kept.length;
    return kept;
  }
}
