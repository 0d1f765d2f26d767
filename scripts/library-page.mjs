#!/usr/bin/env node
// Writes docs/reference/library.md: every export of every entry of the package, from the doc comments of the sources. With --check
// it writes nothing, and exits with 1 when the page is out of date.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("..", import.meta.url));
const PAGE = `${root}docs/reference/library.md`;

const INTRODUCTION = `# The library

<!-- Written by \`npm run docs:library\` from the doc comments in src/. Change those, not this page. -->

What Assay exports, entry by entry: first the values, then the types that belong to them. Each entry can be imported (\`import { evaluate } from "assay"\`) and required (\`require("assay")\`, Node 20.19 and newer). Types resolve under \`node16\`, \`nodenext\` and \`bundler\`; a CommonJS program in TypeScript needs \`nodenext\` or \`bundler\`, because \`node16\` forbids \`require\` of any ES module.
`;

/** The entries by the name they are imported by. package.json names their declarations, and these say their sources. */
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
else if (readFileSync(PAGE, "utf8") !== page) fail("docs/reference/library.md is out of date: npm run docs:library");

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

/** The comment at the top of an entry. */
function readIntroduction(source) {
  const [comment] = ts.getLeadingCommentRanges(source.text, 0) ?? [];
  if (comment === undefined) throw new Error(`${source.fileName} needs a comment at its top that says what it offers.`);
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

/** A class may be exported for its type alone. */
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
