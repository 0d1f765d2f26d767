const DEGREE = /\s*\^\s*(?:\{\s*\\(?:circ|degree)\s*\}|\\(?:circ|degree)(?![a-zA-Z]))|\\degree(?![a-zA-Z])/g;

const ANGLE = "(?:\\d{1,9}(?:\\.\\d{1,9})?|[a-zA-Z]|\\\\(?:theta|alpha|beta|gamma|phi|varphi))";
const IN_DEGREES = new RegExp(`(${ANGLE})\\s*°`, "g");
/** A function, its power, and what it is taken of: a bracket, or one angle. Inverse functions give angles and take none. */
const FUNCTION_OF_ANGLE = new RegExp(
  `((?<![a-zA-Z])(?:sin|cos|tan|cot|sec|csc)\\s?(?:\\^\\s?\\{?\\d\\}?)?\\s?)(\\([^()]{1,100}\\)|\\{[^{}]{1,100}\\}|-?${ANGLE}\\s?°)`,
  "g",
);
/** With the scale of a temperature, which is a unit as well. */
const UNIT = /\s*°(?:\s*[CF](?![a-zA-Z]))?/g;

/**
 * Degrees are a unit, which an answer may leave out, but not in what a function is taken of: sin 30° is sin(30π/180),
 * and sin 30 is something else.
 */
export function withoutDegrees(text: string): string {
  const signed = text.includes("\\") ? text.replace(DEGREE, "°") : text;
  if (!signed.includes("°")) return signed;
  return signed
    .replace(FUNCTION_OF_ANGLE, (_, name: string, angle: string) => `${name}${inRadians(angle)}`)
    .replace(UNIT, "");
}

function inRadians(angle: string): string {
  const converted = angle.replace(IN_DEGREES, "\\frac{$1\\pi}{180}");
  return converted.startsWith("(") ? converted : `(${converted})`;
}
