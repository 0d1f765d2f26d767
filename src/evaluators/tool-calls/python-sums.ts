import { NotPython } from "./python-cursor.js";

/** A value as it was read. Numbers and texts can be computed with; a name or a call stands for itself and cannot. */
export type Operand =
  | { type: "number"; value: number; isFloat: boolean }
  | { type: "text"; value: string }
  | { type: "other"; value: unknown };

export type Operator = "+" | "-" | "*" | "/" | "//" | "%" | "**";

/** What Python makes of two operands; throws where it, or its reader in BFCL, makes nothing. */
export function combined(operator: Operator, left: Operand, right: Operand): Operand {
  if (left.type === "text" && right.type === "text" && operator === "+") {
    return { type: "text", value: left.value + right.value };
  }
  if (left.type !== "number" || right.type !== "number") throw new NotPython();
  const value = computed(operator, left.value, right.value);
  if (!Number.isFinite(value)) throw new NotPython();
  const isFraction = operator === "/" || (operator === "**" && right.value < 0);
  return { type: "number", value, isFloat: left.isFloat || right.isFloat || isFraction };
}

function computed(operator: Operator, a: number, b: number): number {
  switch (operator) {
    case "+":
      return a + b;
    case "-":
      return a - b;
    case "*":
      return a * b;
    case "/":
      return a / b;
    case "//":
      return Math.floor(a / b);
    case "%":
      return a - b * Math.floor(a / b);
    case "**":
      return a ** b;
  }
}

export function negated(operand: Operand): Operand {
  if (operand.type !== "number") throw new NotPython();
  return { ...operand, value: -operand.value };
}
