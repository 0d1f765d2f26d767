#!/usr/bin/env node
// Writes schemas/*.schema.json from the schemas that the files are read with, and the tables of flags and keys in
// docs/reference/command-line.md. A key is described by the doc comment above it in the source. With --check it writes
// nothing, says which files are out of date, and exits with 1 when one is.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { createJiti } from "jiti";
import ts from "typescript";

const FOLDER = new URL("../schemas/", import.meta.url);

/** Where the keys of a file are declared: the source, and the declaration to begin with. eval.yaml describes its own. */
const DECLARATIONS = {
  "config.schema.json": {
    sources: ["datasets/named-files.ts", "cli/run-config-schema.ts", "cli/run-settings.ts"],
    root: "RUN_SETTINGS",
  },
  "experiment.schema.json": { sources: ["evals/experiment/load-experiment.ts"], root: "experimentSchema" },
  "mock.schema.json": { sources: ["testing/mock/script.ts"], root: "MockScript" },
  "models.schema.json": { sources: ["budget/rules.ts", "budget/model-schema.ts"], root: "buildModelSchema" },
};

const jiti = createJiti(import.meta.url);
const { jsonSchemas } = await jiti.import("../src/cli/json-schemas.ts");
const { RUN_SETTINGS, getFlagName } = await jiti.import("../src/cli/run-settings.ts");
const schemas = jsonSchemas();
for (const [name, { sources, root }] of Object.entries(DECLARATIONS)) {
  const declared = findDeclarations(sources, root);
  const schema = schemas[name].definitions?.model ?? schemas[name];
  describe(schema, declared.get(root), declared);
}

const PAGE = new URL("../docs/reference/command-line.md", import.meta.url);
const KEY_TABLE = /(<!-- Keys: written by npm run schema -->\n\n).*?(\n\n<!-- End of keys -->)/s;
const FLAG_TABLES = /(<!-- Flags of (.+?): written by npm run schema -->\n\n).*?(\n\n<!-- End of flags -->)/gs;
const page = readFileSync(PAGE, "utf8");
requireSections([...page.matchAll(FLAG_TABLES)].map(([, , section]) => section));
const newPage = page
  .replace(KEY_TABLE, (_, start, end) => start + makeKeyTable() + end)
  .replace(FLAG_TABLES, (_, start, section, end) => start + makeFlagTable(section) + end);

const wrong = Object.keys(schemas).filter((name) => !isDeepStrictEqual(readSchema(name), schemas[name]));
const extra = readdirSync(FOLDER).filter((name) => !Object.hasOwn(schemas, name));
if (process.argv.includes("--check")) {
  for (const name of wrong) console.error(`schemas/${name} is out of date. Run npm run schema.`);
  for (const name of extra) console.error(`schemas/${name} is not written by scripts/schemas.mjs. Remove it.`);
  if (newPage !== page)
    console.error("The flags or keys in docs/reference/command-line.md are out of date. Run npm run schema.");
  if (wrong.length + extra.length > 0 || newPage !== page) process.exitCode = 1;
} else {
  if (wrong.length > 0) writeSchemas(wrong);
  if (newPage !== page) writeFileSync(PAGE, newPage);
}

function readSchema(name) {
  try {
    return JSON.parse(readFileSync(new URL(name, FOLDER), "utf8"));
  } catch {
    return null;
  }
}

function writeSchemas(names) {
  const paths = names.map((name) => fileURLToPath(new URL(name, FOLDER)));
  for (const [index, name] of names.entries()) writeFileSync(paths[index], JSON.stringify(schemas[name]));
  execFileSync("npx", ["biome", "format", "--write", ...paths], { stdio: ["ignore", "ignore", "inherit"] });
}

/** What source files declare at their top, and in the function `root`, by name. */
function findDeclarations(sources, root) {
  const found = new Map();
  const add = (statement) => {
    const declarations = statement.declarationList?.declarations ?? [statement];
    for (const declaration of declarations)
      if (declaration.name !== undefined) found.set(declaration.name.getText(), declaration);
  };
  for (const source of sources) {
    const text = readFileSync(new URL(`../src/${source}`, import.meta.url), "utf8");
    ts.createSourceFile(source, text, ts.ScriptTarget.Latest, true).statements.forEach(add);
  }
  found.get(root).body?.statements.forEach(add);
  return found;
}

/** Gives the properties of a schema the doc comments of the keys that a piece of source declares. */
function describe(schema, source, declared) {
  const keys = findKeys(source, declared);
  for (const properties of findProperties(schema))
    for (const [key, value] of Object.entries(properties)) {
      const member = keys.get(key);
      if (member === undefined) continue;
      const text = readComment(member);
      if (text !== "") value.description ??= text;
      const inner = findKindSchema(member, declared) ?? member.initializer ?? member.type;
      if (inner !== undefined) describe(value, inner, declared);
    }
}

/** A setting of `run` names the kind of its value, whose schema is declared apart. */
function findKindSchema(member, declared) {
  const kind = findKeys(member.initializer ?? member, declared).get("kind")?.initializer?.text;
  return kind === undefined ? undefined : findKeys(declared.get("KIND_SCHEMAS"), declared).get(kind);
}

/** The keys that a piece of source declares, here or in what it names. */
function findKeys(source, declared) {
  const keys = new Map();
  const seen = new Set();
  const visit = (node) => {
    const members = ts.isObjectLiteralExpression(node) ? node.properties : node.members;
    for (const member of members ?? []) {
      if (ts.isSpreadAssignment(member)) visit(member.expression);
      else if (member.name !== undefined && !keys.has(member.name.text)) keys.set(member.name.text, member);
    }
    const named = ts.isIdentifier(node) ? declared.get(node.text) : undefined;
    if (named !== undefined && !seen.has(named)) {
      seen.add(named);
      visit(named);
    }
    if (members === undefined) ts.forEachChild(node, visit);
    else for (const clause of node.heritageClauses ?? []) visit(clause);
  };
  visit(source);
  return keys;
}

/** The properties of every mapping that a value may be, or that is in it. */
function findProperties(schema) {
  if (schema.properties !== undefined) return [schema.properties];
  const inner = [...(schema.anyOf ?? []), schema.items, schema.additionalProperties];
  return inner.flatMap((each) => (typeof each === "object" ? findProperties(each) : []));
}

function readComment(member) {
  const [comment] = ts.getJSDocCommentsAndTags(member);
  return (ts.getTextOfJSDocComment(comment?.comment) ?? "").replace(/\s+/g, " ").trim();
}

/** The keys of a config file, each with its flag, what it holds and what it means. */
function makeKeyTable() {
  const { sources, root } = DECLARATIONS["config.schema.json"];
  const declared = findDeclarations(sources, root);
  const keys = findKeys(declared.get(root), declared);
  const rows = Object.entries(schemas["config.schema.json"].properties).map(([key, schema]) => {
    const tag = ts.getJSDocTags(keys.get(key)).find(({ tagName }) => tagName.text === "flag");
    const flag = tag?.comment ?? `\`${getFlagName(RUN_SETTINGS[key])}\``;
    return [`\`${key}\``, flag, nameType(schema), schema.description.replaceAll("|", "\\|")];
  });
  return makeTable(["key", "flag", "value", "meaning"], rows);
}

/** A flag without a section on the page would be missing there. */
function requireSections(sections) {
  for (const [name, { flag, section }] of Object.entries(RUN_SETTINGS))
    if (flag !== undefined && section !== null && !sections.includes(section))
      throw new Error(`The section of ${name} in src/cli/run-settings.ts must be one of: ${sections.join("; ")}.`);
}

/** The flags of `assay run` under one heading. */
function makeFlagTable(section) {
  const settings = Object.values(RUN_SETTINGS).filter((setting) => setting.section === section);
  const rows = settings.map(({ flag, help, docs }) => [
    formatFlag(flag).replaceAll("|", "\\|"),
    docs ?? formatHelp(help),
  ]);
  return makeTable(["flag", "meaning"], rows);
}

/** Marks flags as code, and leaves out what the heading says. */
function formatHelp(help) {
  return help.replace(/^for models: /, "").replace(/(?<![\w-])--?[a-z][\w-]*/g, "`$&`");
}

/** `-n, --max-examples <count>` becomes "`-n`, `--max-examples COUNT`". */
function formatFlag(flag) {
  const [, names, open, argument, close] = /^([^<[]+?)(?: ([<[])(.+)([>\]]))?$/.exec(flag);
  const code = names.replace(", ", "`, `");
  if (argument === undefined) return `\`${code}\``;
  // Words before a bar are literal, as in <inherit|dir>.
  const value = argument.replace(/[^|]+$/, (word) => word.toUpperCase());
  if (open === "[") return `\`${code} [${value}${close}\``;
  return `\`${code} ${value.includes(" ") ? `"${value}"` : value}\``;
}

function makeTable(head, rows) {
  const lines = [head, head.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function nameType({ enum: words, type, minimum, maximum }) {
  if (words !== undefined) return words.map((word) => `\`${word}\``).join(", ");
  if (type === "number" && maximum !== undefined) return `${minimum} to ${maximum}`;
  return (
    { string: "text", integer: "whole number", boolean: "true or false", array: "list", object: "mapping" }[type] ??
    type
  );
}
