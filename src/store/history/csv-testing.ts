/** Parses CSV (RFC 4180) for tests: written independently of the writer, so that a mistake is not made twice. */
export function parseCsv(text: string): string[][] {
  const lines: string[][] = [];
  let line: string[] = [];
  for (const [, quoted, bare = "", end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/gu)) {
    if (end === "" && line.length === 0 && quoted === undefined && bare === "") break;
    line.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end === ",") continue;
    lines.push(line);
    line = [];
  }
  return lines;
}
