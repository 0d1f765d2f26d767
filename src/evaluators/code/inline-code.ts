import type { CodeBlock } from "./fences.js";

const FENCE = /`{3,}/g;
/** Far more than an answer has; a text made of marks would take for ever. */
const MOST_BLOCKS = 200;

/** Code between fences that open and close on one line; `labels` are words that name a language and are no code. */
export function oneLineBlocks(text: string, labels: ReadonlySet<string>): CodeBlock[] {
  const lines = text.split("\n").filter((line) => line.includes("```"));
  return lines.flatMap((line) => blocksIn(line, labels)).slice(0, MOST_BLOCKS);
}

function blocksIn(line: string, labels: ReadonlySet<string>): CodeBlock[] {
  const fences = [...line.matchAll(FENCE)];
  const blocks: CodeBlock[] = [];
  for (let at = 0; at + 1 < fences.length; at += 2) {
    const [open, close] = [fences[at], fences[at + 1]];
    if (open === undefined || close === undefined) break;
    const inside = line.slice(open.index + open[0].length, close.index);
    const [, word = "", rest = ""] = /^(\S+)[ \t](.*)$/.exec(inside) ?? [];
    const isLabel = word !== "" && labels.has(word.toLowerCase());
    blocks.push(isLabel ? { info: word.toLowerCase(), code: rest.trim() } : { info: "", code: inside.trim() });
  }
  return blocks.filter(({ code }) => code !== "");
}

const TAG = /<code(?:\s[^<>]{0,200})?>/gi;
const LANGUAGE = /\b(?:language|lang)-([\w+#.-]{1,40})/i;
const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'", apos: "'" };

/** Code between `<code>` and `</code>`; a tag that is never closed goes on to the end. */
export function taggedBlocks(text: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  for (const open of text.matchAll(TAG)) {
    if (blocks.length === MOST_BLOCKS) break;
    const from = open.index + open[0].length;
    const end = text.indexOf("</code>", from);
    const inside = end === -1 ? text.slice(from) : text.slice(from, end);
    blocks.push({ info: LANGUAGE.exec(open[0])?.[1]?.toLowerCase() ?? "", code: unescaped(inside) });
    if (end === -1) break;
  }
  return blocks;
}

function unescaped(html: string): string {
  const text = html.replace(/&(lt|gt|amp|quot|apos|#39);/g, (entity, name: string) => ENTITIES[name] ?? entity);
  return text.replace(/^\n/, "").trimEnd();
}
