import type { CST, Document, Node, Pair, YAMLError } from "yaml";

/** A position in a file; both count from 1. */
export interface FilePosition {
  readonly line: number;
  readonly column: number;
}

/** A problem in a file and its position. */
export interface FileProblem extends FilePosition {
  readonly text: string;
}

export type KeyPath = readonly (string | number)[];

/** A parsed YAML file with the positions of its values. */
export interface YamlTree {
  readonly value: unknown;
  readonly problems: readonly FileProblem[];
  /** True if the file is not valid YAML, so that `value` is meaningless. */
  readonly isBroken: boolean;
  /** The position of a value, or of its nearest existing ancestor. */
  locate(path: KeyPath): FilePosition;
  /** The position of the last key in the path. */
  locateKey(path: KeyPath): FilePosition;
}

type YamlModule = typeof import("yaml");

/** Parses YAML and keeps the line and column of every value. */
export async function parseYaml(text: string): Promise<YamlTree> {
  const yaml = await import("yaml");
  const deep = findDepthProblem(text, yaml);
  if (deep !== null) return createBrokenTree(deep);
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, { lineCounter: lines, merge: true });
  const placeAt = (offset: number) => toFilePosition(lines, offset);
  const tags = document.warnings.filter(({ code }) => code === "TAG_RESOLVE_FAILED");
  const problems = [...document.errors, ...tags].map((error) => ({
    ...placeAt(error.pos[0]),
    text: describeYamlError(error),
  }));
  const broken = document.errors.some(({ code }) => code !== "DUPLICATE_KEY");
  const content = broken ? { value: null } : convertYamlDocument(document);
  if (content.problem !== undefined) problems.push({ line: 1, column: 1, text: content.problem });
  const walker = {
    find: createNodeFinder(yaml),
    offsetOf: (node: unknown) => (yaml.isNode(node) ? node.range?.[0] : undefined),
  };
  return {
    value: content.value,
    problems,
    isBroken: broken || content.problem !== undefined,
    locate: (path) => placeAt(findNodeOffset(document.contents, path, walker)),
    locateKey: (path) => placeAt(findNodeOffset(document.contents, path, { ...walker, atKey: true })),
  };
}

function toFilePosition(lines: InstanceType<YamlModule["LineCounter"]>, offset: number): FilePosition {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

/** Checked on tokens, because building a deeply nested tree would overflow the stack. */
function findDepthProblem(text: string, { LineCounter, Parser }: YamlModule): FileProblem | null {
  const lines = new LineCounter();
  const offset = findTooDeepOffset(new Parser(lines.addNewLine).parse(text));
  if (offset === null) return null;
  return {
    ...toFilePosition(lines, offset),
    text: `the file is nested more than ${MAX_YAML_DEPTH} levels deep. Flatten it.`,
  };
}

function createBrokenTree(problem: FileProblem): YamlTree {
  const start = () => ({ line: 1, column: 1 });
  return { value: null, problems: [problem], isBroken: true, locate: start, locateKey: start };
}

/** Replaces library messages that only make sense to programmers. */
function describeYamlError({ code, message }: YAMLError): string {
  if (code === "DUPLICATE_KEY") return "duplicate key. Keep one of them.";
  if (code === "MULTIPLE_DOCS")
    return "a second document begins here, but only one is allowed. Remove this line, or move the rest to another file.";
  const [, tag] = /^Unresolved tag: (\S+)/.exec(message) ?? [];
  return tag === undefined ? formatYamlMessage(message) : `unknown tag ${tag}. Remove it.`;
}

/** Drops the excerpt of the file that follows in the library's messages. */
function formatYamlMessage(message: string): string {
  const line = (message.split("\n")[0] ?? message).replace(/ at line \d+, column \d+:?$/, "");
  return `${line.replace(/[.:]$/, "")}. Fix the YAML.`;
}

/** Throws if aliases expand excessively. */
function convertYamlDocument(document: Document): { value: unknown; problem?: string } {
  try {
    return { value: document.toJS() as unknown };
  } catch (error) {
    return {
      value: null,
      problem: formatYamlMessage(error instanceof Error ? error.message : "The file cannot be read"),
    };
  }
}

interface NodeLookup {
  readonly find: (node: Node, key: string | number) => Pick<Pair, "key" | "value"> | undefined;
  readonly offsetOf: (node: unknown) => number | undefined;
  readonly atKey?: boolean;
}

function createNodeFinder({ isMap, isSeq, isScalar }: YamlModule): NodeLookup["find"] {
  return (node, key) => {
    if (isSeq(node)) return { key: null, value: node.items[Number(key)] };
    if (!isMap(node)) return undefined;
    // Of duplicate keys the last one wins.
    return node.items.findLast((item) => String(isScalar(item.key) ? item.key.value : item.key) === String(key));
  };
}

/** Follows a path and returns the offset of the last node found. */
function findNodeOffset(root: Node | null, path: KeyPath, { find, offsetOf, atKey = false }: NodeLookup): number {
  let node: unknown = root;
  let offset = offsetOf(root) ?? 0;
  for (const [depth, key] of path.entries()) {
    const pair = node === null || node === undefined ? undefined : find(node as Node, key);
    if (pair === undefined) break;
    const isLast = depth === path.length - 1;
    offset = (atKey && isLast ? offsetOf(pair.key) : undefined) ?? offsetOf(pair.value) ?? offsetOf(pair.key) ?? offset;
    node = pair.value;
  }
  return offset;
}

/** Far deeper than any real file; much deeper nesting would crash the process. */
export const MAX_YAML_DEPTH = 200;

type YamlToken = CST.Token | null | undefined;

/** The offset of the first token that is nested too deeply; null if there is none. */
function findTooDeepOffset(tokens: Iterable<CST.Token>): number | null {
  // Iterative, because recursion is what a deep text would overflow.
  const left = Array.from(tokens, (token): [YamlToken, number] => [token, 0]);
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [token, depth] = next;
    if (token === null || token === undefined) continue;
    if (depth > MAX_YAML_DEPTH) return token.offset;
    if (token.type === "document") left.push([token.value, depth]);
    else for (const inner of listInnerTokens(token)) left.push([inner, depth + 1]);
  }
  return null;
}

function listInnerTokens(token: CST.Token): YamlToken[] {
  if (!("items" in token)) return [];
  return token.items.flatMap(({ key, value }): YamlToken[] => [key, value]);
}
