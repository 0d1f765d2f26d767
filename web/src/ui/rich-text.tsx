import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { hasMarkdown, type MarkdownBlock, type MarkdownSpan, parseMarkdown, parseSpans } from "./markdown.js";
import { RevealedText } from "./revealed-text.js";

/** Longer texts are shown raw: the page would lay them out for too long. */
const MAX_RICH_LENGTH = 60_000;
/** Longer JSON is not examined for messages. */
const MAX_CHAT_LENGTH = 500_000;
const MAX_MESSAGES = 200;

/** One message of a chat. */
export interface ChatMessage {
  readonly role: string;
  readonly text: string;
}

/** A text that can be drawn better than raw. */
export type RichContent = { kind: "markdown"; text: string } | { kind: "chat"; messages: readonly ChatMessage[] };

/**
 * How a text from a model can be drawn: as a chat, as Markdown, or null when raw text says it all.
 * @example
 * readRichContent('[{"role":"user","content":"Hi"}]'); // { kind: "chat", messages: [{ role: "user", text: "Hi" }] }
 */
export function readRichContent(text: string): RichContent | null {
  const messages = readChat(text);
  if (messages !== null) return { kind: "chat", messages };
  if (text.length > MAX_RICH_LENGTH || /^\s*[[{]/.test(text)) return null;
  return hasMarkdown(text) ? { kind: "markdown", text } : null;
}

/** The messages of a JSON list of `{ role, content }`, also under `messages`; null for other text. */
export function readChat(text: string): ChatMessage[] | null {
  if (text.length > MAX_CHAT_LENGTH || !/^\s*[[{]/.test(text) || !text.includes('"role"')) return null;
  try {
    const value: unknown = JSON.parse(text);
    const list: unknown = Array.isArray(value) ? value : (value as { messages?: unknown }).messages;
    if (!Array.isArray(list) || list.length === 0 || !list.every(isMessage)) return null;
    return list.map(toChatMessage);
  } catch {
    return null;
  }
}

interface StoredMessage {
  role: string;
  content?: unknown;
  tool_calls?: unknown;
}

function isMessage(value: unknown): value is StoredMessage {
  return typeof value === "object" && value !== null && typeof (value as { role?: unknown }).role === "string";
}

function toChatMessage({ role, content, tool_calls: calls }: StoredMessage): ChatMessage {
  const texts = [readContent(content), calls === undefined ? "" : formatCode(calls)];
  return { role, text: texts.filter(Boolean).join("\n\n") };
}

function readContent(content: unknown): string {
  if (typeof content === "string") return content;
  if (content === null || content === undefined) return "";
  if (!Array.isArray(content)) return formatCode(content);
  return content.map((part: unknown) => readPart(part)).join("\n\n");
}

function readPart(part: unknown): string {
  if (typeof part === "string") return part;
  const text = (part as { text?: unknown } | null)?.text;
  return typeof text === "string" ? text : formatCode(part);
}

function formatCode(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}

/** Draws Markdown or a chat as elements: no HTML of the text, no links to follow, no images to load. */
export function RichText({ content }: { content: RichContent }) {
  if (content.kind === "markdown") return <Markdown text={content.text} />;
  return (
    <div class="rich chat">
      {content.messages.slice(0, MAX_MESSAGES).map(({ role, text }, place) => (
        <section key={place} class={`chat-message chat-${getSide(role)}`} aria-label={`Message ${place + 1}: ${role}`}>
          <p class="chat-role">
            <RevealedText text={role} />
          </p>
          <Markdown text={text} />
        </section>
      ))}
      {content.messages.length > MAX_MESSAGES && (
        <p class="quiet">and {content.messages.length - MAX_MESSAGES} more messages: see the raw text</p>
      )}
    </div>
  );
}

function getSide(role: string): "asked" | "answered" {
  return role === "user" || role === "system" || role === "developer" ? "asked" : "answered";
}

/** The beginning of a long text; the raw text has the rest. */
function Markdown({ text }: { text: string }) {
  const shown = text.length > MAX_RICH_LENGTH ? text.slice(0, MAX_RICH_LENGTH) : text;
  const blocks = useMemo(() => parseMarkdown(shown), [shown]);
  if (text.trim() === "") return <p class="quiet">(empty)</p>;
  return (
    <div class="rich">
      <Blocks blocks={blocks} />
      {shown.length < text.length && <p class="quiet">The rest is in the raw text.</p>}
    </div>
  );
}

function Blocks({ blocks }: { blocks: readonly MarkdownBlock[] }) {
  return (
    <>
      {blocks.map((block, place) => (
        <Block key={place} block={block} />
      ))}
    </>
  );
}

function Block({ block }: { block: MarkdownBlock }): ComponentChildren {
  switch (block.kind) {
    // Not a heading of the page: it belongs to the text.
    case "heading":
      return (
        <p class={`rich-heading rich-heading-${block.level}`}>
          <Spans text={block.text} />
        </p>
      );
    case "paragraph":
      return (
        <p class="rich-lines">
          <Spans text={block.text} />
        </p>
      );
    case "code":
      return (
        <pre class="rich-code">
          {block.language !== "" && <span class="rich-language">{block.language}</span>}
          <code>
            <RevealedText text={block.text} />
          </code>
        </pre>
      );
    case "list":
      return block.isOrdered ? (
        <ol start={block.start}>
          <Items block={block} />
        </ol>
      ) : (
        <ul>
          <Items block={block} />
        </ul>
      );
    case "quote":
      return (
        <blockquote>
          <Blocks blocks={block.blocks} />
        </blockquote>
      );
    case "table":
      return <RichTable head={block.head} rows={block.rows} />;
    case "rule":
      return <hr />;
  }
}

function Items({ block }: { block: Extract<MarkdownBlock, { kind: "list" }> }) {
  return (
    <>
      {block.items.map(({ text, blocks }, place) => (
        <li key={place} class="rich-lines">
          <Spans text={text} />
          <Blocks blocks={blocks} />
        </li>
      ))}
    </>
  );
}

function RichTable({ head, rows }: { head: readonly string[]; rows: readonly (readonly string[])[] }) {
  return (
    <table class="rich-table">
      <thead>
        <tr>
          {head.map((cell, place) => (
            <th key={place} scope="col">
              <Spans text={cell} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, place) => (
          <tr key={place}>
            {head.map((_, column) => (
              <td key={column}>
                <Spans text={row[column] ?? ""} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Spans({ text }: { text: string }) {
  return <>{parseSpans(text).map(renderSpan)}</>;
}

function renderSpan(span: MarkdownSpan, place: number): ComponentChildren {
  switch (span.kind) {
    case "text":
      return <RevealedText key={place} text={span.text} />;
    case "code":
      return (
        <code key={place}>
          <RevealedText text={span.text} />
        </code>
      );
    case "strong":
      return <strong key={place}>{span.spans.map(renderSpan)}</strong>;
    case "em":
      return <em key={place}>{span.spans.map(renderSpan)}</em>;
    case "struck":
      return <s key={place}>{span.spans.map(renderSpan)}</s>;
    case "link":
    case "image":
      return <Address key={place} {...span} />;
  }
}

/** The address is shown and cannot be followed: a model wrote it. */
function Address({ kind, text, address }: { kind: "link" | "image"; text: string; address: string }) {
  const isNamed = text !== "" && text !== address;
  return (
    <>
      {kind === "image" && <span class="quiet">image: </span>}
      {isNamed && <RevealedText text={text} />}
      {isNamed && " "}
      <span class="rich-address">
        <RevealedText text={isNamed ? `(${address})` : address} />
      </span>
    </>
  );
}

const RAW_KEY = "assay-raw-texts";
const RAW_EVENT = "assay-raw-texts";

/** Whether texts are shown raw: one choice for all texts of all pages, kept in this browser. */
export function useRawTexts(): [isRaw: boolean, setRaw: (isRaw: boolean) => void] {
  const [isRaw, setRaw] = useState(readRawChoice);
  useEffect(() => {
    const follow = () => setRaw(readRawChoice());
    addEventListener(RAW_EVENT, follow);
    return () => removeEventListener(RAW_EVENT, follow);
  }, []);
  const choose = (next: boolean) => {
    storeRawChoice(next);
    // Without storage the choice holds for this text alone.
    setRaw(next);
    dispatchEvent(new Event(RAW_EVENT));
  };
  return [isRaw, choose];
}

/** A file opened from disk may have no storage. */
function readRawChoice(): boolean {
  try {
    return localStorage.getItem(RAW_KEY) === "true";
  } catch {
    return false;
  }
}

function storeRawChoice(isRaw: boolean): void {
  try {
    if (isRaw) localStorage.setItem(RAW_KEY, "true");
    else localStorage.removeItem(RAW_KEY);
  } catch {
    // See above.
  }
}
