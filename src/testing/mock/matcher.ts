import { PATTERN } from "./script-schema.js";

/** Tells texts that match: those that hold the text given, or that a regular expression written as `/…/flags` finds. */
export function matcher(match: string): (text: string) => boolean {
  const [, source, flags = ""] = PATTERN.exec(match) ?? [];
  if (source === undefined) return (text) => text.includes(match);
  // A global or sticky expression would remember where it stopped.
  const pattern = new RegExp(source, flags.replace(/[gy]/g, ""));
  return (text) => pattern.test(text);
}
