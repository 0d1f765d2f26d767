/** A path pattern that was read: `*`, `**`, `?`, `{a,b}`, `[abc]`, `[!abc]`. */
export interface Glob {
  readonly pattern: string;
  /** Whether a path, with slashes and relative to the workspace, is meant. */
  matches(path: string): boolean;
  /** Whether a folder can hold something that is meant; "" is the workspace itself. */
  mayHold(folder: string): boolean;
}

/** More are never meant; `{a,b}{a,b}…` would double with each pair. */
const MOST_CHOICES = 1000;
/** Tools keep thousands of files there that are not the work; patterns that name them find them. */
const PASSED_OVER = new Set([".git", "node_modules"]);

/** What keeps a text from being a pattern of paths below the workspace; null when nothing does. */
export function problemWithGlob(pattern: string): string | null {
  return problemWithPath(pattern) ?? (withoutBraces(pattern) === null ? "stands for too many paths" : null);
}

/** What keeps a text from being a path below the workspace; null when nothing does. */
export function problemWithPath(path: string): string | null {
  if (path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path)) return "must be relative to the workspace";
  if (path.includes("\\")) return "must be written with slashes, not with backslashes";
  if (path.includes("\0")) return "must not hold a null character";
  return path.split("/").includes("..") ? "must not leave the workspace" : null;
}

/**
 * Reads a path pattern. Names that begin with a dot are found like others; `**` passes over `.git` and `node_modules`.
 * @example
 * readGlob("src/**\/*.{js,ts}").matches("src/deep/a.ts"); // true
 */
export function readGlob(pattern: string): Glob {
  const choices = (withoutBraces(pattern) ?? []).map((choice) => segmentsOf(choice).map(readSegment));
  return {
    pattern,
    matches: (path) => choices.some((segments) => fits(segments, segmentsOf(path))),
    mayHold: (folder) => choices.some((segments) => mayHold(segments, segmentsOf(folder))),
  };
}

function segmentsOf(path: string): string[] {
  return path.split("/").filter((segment) => segment !== "" && segment !== ".");
}

/** All texts that the braces of a pattern stand for; null when there are too many. */
function withoutBraces(pattern: string): string[] | null {
  let choices = [pattern];
  while (choices.some((choice) => BRACES.test(choice))) {
    choices = [...new Set(choices.flatMap(expandedOnce))];
    if (choices.length > MOST_CHOICES) return null;
  }
  return choices;
}

/** A pair of braces without others in it. */
const BRACES = /\{([^{}]*,[^{}]*)\}/;

function expandedOnce(pattern: string): string[] {
  const found = BRACES.exec(pattern);
  if (found === null) return [pattern];
  const before = pattern.slice(0, found.index);
  const after = pattern.slice(found.index + found[0].length);
  return (found[1] ?? "").split(",").map((choice) => `${before}${choice}${after}`);
}

type Segment = "**" | { readonly tokens: readonly Token[]; readonly literal: string | null };

/** One character of a name: any number of any, any one, one of some, or itself. */
type Token = "*" | "?" | { readonly isOneOf: (char: string) => boolean };

function readSegment(segment: string): Segment {
  if (segment === "**") return "**";
  const isLiteral = !/[*?[]/.test(segment);
  return { tokens: tokensOf(segment), literal: isLiteral ? segment : null };
}

function tokensOf(segment: string): Token[] {
  const tokens: Token[] = [];
  for (const [part] of segment.matchAll(/\[[!^]?\]?[^\]]*\]|./gsu)) {
    if (part === "*" || part === "?") tokens.push(part);
    else tokens.push({ isOneOf: part.length > 1 && part.startsWith("[") ? readClass(part) : (char) => char === part });
  }
  return tokens;
}

function readClass(written: string): (char: string) => boolean {
  const isNegated = /^\[[!^]/.test(written);
  const inside = Array.from(written.slice(isNegated ? 2 : 1, -1));
  const ranges: [string, string][] = [];
  for (let i = 0; i < inside.length; i++) {
    const from = inside[i] ?? "";
    const to = inside[i + 1] === "-" ? inside[i + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) i += 2;
  }
  return (char) => ranges.some(([from, to]) => char >= from && char <= to) !== isNegated;
}

function fits(segments: readonly Segment[], path: readonly string[]): boolean {
  return walk(segments, path, {
    isAny: (segment) => segment === "**",
    fits: (segment, name) => segment !== "**" && nameFits(segment, name),
    mayPass: (name) => !PASSED_OVER.has(name),
  });
}

function nameFits({ tokens, literal }: Exclude<Segment, "**">, name: string): boolean {
  if (literal !== null) return literal === name;
  return walk(tokens, [...name], {
    isAny: (token) => token === "*",
    fits: (token, char) => token === "?" || (token !== "*" && token.isOneOf(char)),
    mayPass: () => true,
  });
}

interface Rules<T> {
  isAny(token: T): boolean;
  fits(token: T, item: string): boolean;
  /** Whether a token for any number of items may pass over this one. */
  mayPass(item: string): boolean;
}

/**
 * Whether items fit tokens, some of which stand for any number of them. Only the last of those is ever taken back, so
 * that no pattern takes more than quadratic time.
 */
function walk<T>(tokens: readonly T[], items: readonly string[], rules: Rules<T>): boolean {
  let token = 0;
  let lastAny = -1;
  let resumeAt = 0;
  for (let item = 0; item < items.length; ) {
    const current = tokens[token];
    if (current !== undefined && rules.isAny(current)) {
      lastAny = token++;
      resumeAt = item;
    } else if (current !== undefined && rules.fits(current, items[item] ?? "")) {
      token++;
      item++;
    } else if (lastAny !== -1 && rules.mayPass(items[resumeAt] ?? "")) {
      token = lastAny + 1;
      item = ++resumeAt;
    } else return false;
  }
  return tokens.slice(token).every((rest) => rules.isAny(rest));
}

/** Whether the first segments of a pattern fit a folder, so that the rest may fit something in it. */
function mayHold(segments: readonly Segment[], folder: readonly string[]): boolean {
  for (const [index, name] of folder.entries()) {
    const segment = segments[index];
    if (segment === "**") return !folder.slice(index).some((each) => isPassedOver(each, segments));
    if (segment === undefined || !nameFits(segment, name)) return false;
  }
  return segments.length > folder.length;
}

function isPassedOver(name: string, segments: readonly Segment[]): boolean {
  return PASSED_OVER.has(name) && !segments.some((segment) => segment !== "**" && segment.literal === name);
}
