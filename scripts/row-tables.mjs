#!/usr/bin/env node
// Writes the tables of row fields: `rows` in docs/reference/json-report.md, from the doc comments and types in
// src/core/row.ts, and the columns of `rows` in docs/guides/history.md. With --check it writes nothing, says which pages are
// out of date, and exits with 1 when one is.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createJiti } from "jiti";
import ts from "typescript";

const MARKED = /(<!-- Row fields: written by npm run docs:rows -->\n\n).*?(\n\n<!-- End of row fields -->)/s;

const { VIEWS } = await createJiti(import.meta.url).import("../src/store/history/schema.ts");
const columns = VIEWS.rows.columns.map(([name, type, about]) => [`\`${name}\``, `\`${type}\``, about]);
const tables = {
  "docs/reference/json-report.md": makeTable(["field", "type", "meaning"], describeFields()),
  "docs/guides/history.md": makeTable(["column", "type", "holds"], columns),
};

for (const [path, table] of Object.entries(tables)) {
  const file = new URL(`../${path}`, import.meta.url);
  const page = readFileSync(file, "utf8");
  if (!MARKED.test(page)) throw new Error(`${path} has no markers for the table of row fields.`);
  const newPage = page.replace(MARKED, (_, start, end) => start + table + end);
  if (newPage === page) continue;
  if (!process.argv.includes("--check")) writeFileSync(file, newPage);
  else {
    console.error(`The row fields in ${path} are out of date. Run npm run docs:rows.`);
    process.exitCode = 1;
  }
}

function makeTable(head, rows) {
  const lines = [head, head.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`).join("\n");
}

/** The fields of EvalRow, each with its JSON type and its doc comment. */
function describeFields() {
  const file = fileURLToPath(new URL("../src/core/row.ts", import.meta.url));
  const program = ts.createProgram([file], { strict: true, module: ts.ModuleKind.NodeNext, types: [] });
  const checker = program.getTypeChecker();
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)));
  const row = checker.getDeclaredTypeOfSymbol(exported.find(({ name }) => name === "EvalRow"));
  return checker.getPropertiesOfType(row).map((field) => {
    const comment = ts.displayPartsToString(field.getDocumentationComment(checker)).replace(/\s+/g, " ");
    if (comment === "") throw new Error(`The field ${field.name} in src/core/row.ts has no doc comment.`);
    return [`\`${field.name}\``, nameJsonType(checker.getTypeOfSymbol(field), checker), comment];
  });
}

function nameJsonType(type, checker) {
  const names = new Set((type.isUnion() ? type.types : [type]).map((part) => nameOnePart(part, checker)));
  const parts = [...names].filter((name) => name !== "null");
  if (names.has("null")) parts.push("null");
  return parts.length === 1 ? parts[0] : `${parts.slice(0, -1).join(", ")} or ${parts.at(-1)}`;
}

function nameOnePart(type, checker) {
  if (type.flags & ts.TypeFlags.Null) return "null";
  if (type.flags & ts.TypeFlags.StringLike) return "string";
  if (type.flags & ts.TypeFlags.NumberLike) return "number";
  if (type.flags & ts.TypeFlags.BooleanLike) return "boolean";
  if (!checker.isArrayType(type)) return "object";
  const [item] = checker.getTypeArguments(type);
  return item.flags & ts.TypeFlags.StringLike ? "array of strings" : "array";
}
