#!/usr/bin/env node
// Writes docs/reference/library.md: every export of every entry point of the package, from the doc comments of the sources. With
// --check it writes nothing, and exits with 1 if the page is out of date.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));
const PAGE = `${root}docs/reference/library.md`;

const INTRODUCTION = `# The library

<!-- Written by \`npm run docs:library\` from the doc comments in src/. Edit those, not this page. -->

Everything that Assay exports, by entry point: values first, then types. Each entry point works with \`import { evaluate } from "assay"\` and with \`require("assay")\` (Node 20.19 or newer). Types resolve under \`node16\`, \`nodenext\` and \`bundler\`. A CommonJS program in TypeScript needs \`nodenext\` or \`bundler\`, because \`node16\` forbids \`require\` of an ES module.
`;

/** The entry points by import name. Their declaration files in package.json lead to their sources. */
const { exports } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
const entries = Object.entries(exports)
  .filter(([, { types }]) => types !== undefined)
  .map(([path, { types }]) => ({
    name: path.replace(/^\./, "assay"),
    file: types.replace(/^\.\/dist\/types\/(.*)\.d\.ts$/, `${root}src/$1.ts`),
  }));

const { options } = ts.parseJsonConfigFileContent(
  ts.readConfigFile(`${root}tsconfig.json`, (path) => readFileSync(path, "utf8")).config,
  ts.sys,
  root,
);
const program = ts.createProgram(
  entries.map(({ file }) => file),
  options,
);
const checker = program.getTypeChecker();

const undocumented = [];
const page = [INTRODUCTION, ...entries.map(describeEntry)].join("\n");

if (undocumented.length > 0) fail(`These exports have no doc comment:\n${undocumented.join("\n")}`);
else if (!process.argv.includes("--check")) writeFileSync(PAGE, page);
else if (readFileSync(PAGE, "utf8") !== page)
  fail("docs/reference/library.md is out of date. Run npm run docs:library.");

function fail(message) {
  console.error(message);
  process.exitCode = 1;
}

function describeEntry({ name, file }) {
  const source = program.getSourceFile(file);
  const exported = checker
    .getExportsOfModule(checker.getSymbolAtLocation(source))
    .map((symbol) => describeExport(symbol, name))
    .sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
  const values = exported.filter(({ isValue }) => isValue).map(({ text }) => text);
  const types = exported.filter(({ isValue }) => !isValue).map(({ text }) => text);
  return [
    `## ${name}\n`,
    `${readIntroduction(source)}\n`,
    ...values,
    ...(types.length === 0 ? [] : [`\n### Types of ${name}\n`, ...types]),
    "",
  ].join("\n");
}

/** The comment at the top of an entry point. */
function readIntroduction(source) {
  const [comment] = ts.getLeadingCommentRanges(source.text, 0) ?? [];
  if (comment === undefined)
    throw new Error(`${source.fileName} needs a comment at the top that says what it exports.`);
  return joinLines(source.text.slice(comment.pos, comment.end).replace(/^\/\*\*|\*\/$|^\s*\*/gm, ""));
}

function describeExport(exported, entry) {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
  const sentence = findFirstSentence(ts.displayPartsToString(symbol.getDocumentationComment(checker)));
  if (sentence === "") undocumented.push(`${entry}: ${exported.name}`);
  return {
    name: exported.name,
    isValue: (symbol.flags & ts.SymbolFlags.Value) !== 0 && !isTypeOnly(exported),
    text: `- **\`${exported.name}\`** · ${sentence}${describeExample(symbol)}`,
  };
}

/** A class may be exported as a type only. */
function isTypeOnly(exported) {
  return (exported.declarations ?? []).some((node) => ts.isTypeOnlyExportDeclaration(node));
}

function describeExample(symbol) {
  const example = symbol.getJsDocTags(checker).find(({ name }) => name === "example");
  const code = example === undefined ? "" : ts.displayPartsToString(example.text).trim();
  return code === "" ? "" : `\n\n\`\`\`ts no-run\n${code}\n\`\`\`\n`;
}

function findFirstSentence(text) {
  const line = joinLines(text.split(/\n\s*\n/)[0] ?? "");
  return /^.*?[.](?=\s+[A-Z`]|$)/.exec(line)?.[0] ?? line;
}

function joinLines(text) {
  return text.replace(/\s+/g, " ").trim();
}
