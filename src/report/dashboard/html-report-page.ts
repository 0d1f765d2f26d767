import { createHash } from "node:crypto";
import type { EvalResult } from "../../core/result.js";
import { base64Lines, packed } from "./embedded-pack.js";
import { embeddedJson } from "./embedded-report.js";
import { type PageAssets, readPage } from "./page-assets.js";

export interface HtmlPageOptions {
  /** The page that is put into the file; the one of the package unless told. */
  page?: PageAssets;
  /** How much JSON of single trials it may hold, in bytes. */
  mostBytes?: number;
}

/**
 * A run as one HTML file that needs nothing else: the page, and the data it shows. It may be sent to anybody: it fetches
 * nothing, and runs its own script alone.
 * @example
 * writeFileSync("report.html", [...(await htmlPage(await loadRun(dir)))].join(""));
 */
export async function htmlPage(result: EvalResult, options: HtmlPageOptions = {}): Promise<Iterable<string>> {
  const { page = readPage(), ...limits } = options;
  const data = await packed(embeddedJson(result, limits));
  return documentOf({ title: result.config.title, data, script: inScript(page.script), style: inStyle(page.style) });
}

interface Parts extends PageAssets {
  title: string;
  data: Buffer;
}

function* documentOf({ title, data, script, style }: Parts): Generator<string> {
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyOf({ script, style })}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)} · Assay</title>
<link rel="icon" href="data:,">
<style>`;
  yield style;
  yield `</style>
</head>
<body>
<div id="app"></div>
<noscript>This page draws its charts with JavaScript: switch it on to see them.</noscript>
<script type="application/octet-stream" id="assay-data">
`;
  yield* base64Lines(data);
  yield `</script>
<script type="module">`;
  yield script;
  yield "</script>\n</body>\n</html>\n";
}

/** Pictures are made by the page itself, for downloads. Styles that a script sets on an element need no word here. */
function policyOf({ script, style }: PageAssets): string {
  const rules = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "img-src data: blob:",
    "connect-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return rules.join("; ");
}

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

/** What would end the script, or change how it is read, stands in its texts alone, where it can be spelled otherwise. */
function inScript(script: string): string {
  return withPlainEnds(script)
    .replace(/<(?=\/script|!--)/gi, "\\x3c")
    .replaceAll("\0", "\\x00");
}

function inStyle(style: string): string {
  return withPlainEnds(style).replace(/<(?=\/style)/gi, "\\3c ");
}

/** Line ends as browsers read them, because the hash is of what they read. */
function withPlainEnds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? "");
}
