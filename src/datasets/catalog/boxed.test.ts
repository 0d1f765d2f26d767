import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extractLastBoxed } from "./row-fields.js";

describe("extractLastBoxed", () => {
  it.each([
    ["$\\boxed{1}$ and then $\\boxed{2}$", "2"],
    ["$\\boxed{\\frac{1}{\\sqrt{2}}}$", "\\frac{1}{\\sqrt{2}}"],
    ["$\\fbox{3}$", "3"],
    ["$\\boxed {4}$", "4"],
    ["$\\boxed 7$ apples", "7"],
    ["$\\boxed 7\nand more", "7"],
    ["$\\boxed{\\left\\{ x \\right.}$ is a set", "\\left\\{ x \\right."],
    ["$\\boxed{\\text{(A)}}$", "\\text{(A)}"],
    ["$\\boxed{5}$, and not $\\boxed{}$", "5"],
    ["$\\boxed{6}$, and not \\boxed{7", "6"],
    ["a \\boxedness of 8, \\boxed{ 9 }", "9"],
  ])("%s", (solution, answer) => {
    expect(extractLastBoxed(solution)).toBe(answer);
  });

  it.each(["", "It is 5.", "\\boxed", "\\boxed{", "\\boxed{}", "\\boxed{{5}", "\\boxedness"])(
    "finds nothing in %j",
    (solution) => {
      expect(extractLastBoxed(solution)).toBeNull();
    },
  );

  it("returns the content of a box with balanced braces", () => {
    const { tree } = fc.letrec<{ tree: string; group: string; part: string }>((tie) => ({
      tree: fc.array(tie("part"), { maxLength: 4 }).map((parts) => parts.join("")),
      group: tie("tree").map((inner) => `{${inner}}`),
      part: fc.oneof({ maxDepth: 4 }, fc.constantFrom("x", "\\{", "\\}", "\\\\", " 1"), tie("group")),
    }));
    fc.assert(
      fc.property(
        tree.filter((text) => text.trim() !== ""),
        (text) => extractLastBoxed(`So \\boxed{0} is \\boxed{${text}} at last.`) === text.trim(),
      ),
    );
  });
});
