import { strip } from "./python-text.js";

const FENCES = ["```json", "```Json", "```JSON", "```"];
/** A string, whole or cut off, or a number that only Python's reader knows. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\[\s\S])*"?|-?Infinity|NaN/g;

/** Whether the response, without a code fence around it, is JSON as Python reads it: with NaN and infinite numbers. */
export function isJson(response: string): boolean {
  const text = withoutFence(strip(response));
  return parses(text) || (/NaN|Infinity/.test(text) && parses(withPlainNumbers(text)));
}

function withoutFence(text: string): string {
  let inside = text;
  for (const fence of FENCES) if (inside.startsWith(fence)) inside = inside.slice(fence.length);
  return strip(inside.endsWith("```") ? inside.slice(0, -3) : inside);
}

/** The spaces keep a digit or a sign beside such a number from making it valid. */
function withPlainNumbers(text: string): string {
  return text.replace(STRING_OR_NUMBER, (found) => (found.startsWith('"') ? found : " 0 "));
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
