import { expect, test } from "vitest";
import { createSampleTable } from "../rows/rows-testing.js";
import { buildGridColumns } from "./grid-columns.js";

test("a cell shows a response of several lines in one line, and control characters by name", () => {
  const table = createSampleTable([{ id: 1 }]);
  const columns = buildGridColumns(table, { fields: null, sortedBy: "", labels: null });
  const response = columns.find(({ key }) => key === "response");
  const texts = { question: null, expected: null, response: "  **1620**\n\n- The\tcharter\u0007 " };
  expect(response?.text(table, 0, texts)).toBe("1620 • The charter⟨BEL⟩");
});
