import { maskKeyLike } from "../../core/index.js";

/** A text, and what is written instead. */
export type Replacement = readonly [text: string, by: string];

/** Replaces texts in everything that a cassette stores. The longest first, because one may contain another. */
export class TextReplacer {
  readonly #replacements: readonly Replacement[];

  constructor(replacements: readonly Replacement[]) {
    this.#replacements = [...replacements].sort(([a], [b]) => b.length - a.length);
  }

  replace(text: string): string {
    return maskKeyLike(this.#replaceNamed(text));
  }

  /** Texts inside a JSON value. */
  replaceIn(value: unknown): unknown {
    return mapTexts(value, (text) => this.replace(text));
  }

  /** Replaces texts in the events of a stream, also where a text is divided among several events. */
  replaceInEvents(events: readonly string[]): string[] {
    const joined = this.#joinDivided(events);
    return joined.map((event) => this.replace(event));
  }

  #replaceNamed(text: string): string {
    return this.#replacements.reduce((left, [from, to]) => left.replaceAll(from, to), text);
  }

  #joinDivided(events: readonly string[]): string[] {
    const parsed = events.map(parseEvent);
    const changed = new Set<ParsedEvent>();
    for (const leaves of groupLeaves(parsed))
      for (const [text] of this.#replacements) for (const leaf of joinText(leaves, text)) changed.add(leaf.event);
    return events.map((event, i) => {
      const own = parsed[i];
      return own !== null && own !== undefined && changed.has(own) ? formatEvent(event, own) : event;
    });
  }
}

/** The same value with its texts changed. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, mapTexts(each, change)]));
}

interface ParsedEvent {
  readonly data: unknown;
}

/** A text in an event. */
interface Leaf {
  readonly event: ParsedEvent;
  readonly holder: Record<string, unknown>;
  readonly name: string;
  text: string;
}

const DATA_LINE = /^data: ?(.*)$/m;

function parseEvent(event: string): ParsedEvent | null {
  const data = DATA_LINE.exec(event)?.[1];
  if (data === undefined || !data.startsWith("{")) return null;
  try {
    return { data: JSON.parse(data) };
  } catch {
    return null;
  }
}

function formatEvent(event: string, { data }: ParsedEvent): string {
  return event.replace(DATA_LINE, () => `data: ${JSON.stringify(data)}`);
}

/** Fields that tell apart what is streamed at the same time. */
const PART_KEYS = ["index", "output_index", "content_index", "item_id", "type"];

/** The texts of all events that continue each other: those at the same place. */
function groupLeaves(events: readonly (ParsedEvent | null)[]): Leaf[][] {
  const groups = new Map<string, Leaf[]>();
  const visit = (event: ParsedEvent, holder: Record<string, unknown>, place: string): void => {
    const own = JSON.stringify(PART_KEYS.map((key) => (typeof holder[key] === "object" ? null : holder[key])));
    for (const [name, value] of Object.entries(holder)) {
      const at = `${place}/${own}/${name}`;
      if (typeof value === "string") {
        const group = groups.get(at) ?? [];
        groups.set(at, group);
        group.push({ event, holder, name, text: value });
      } else if (typeof value === "object" && value !== null) visit(event, value as Record<string, unknown>, at);
    }
  };
  for (const event of events) if (event !== null) visit(event, event.data as Record<string, unknown>, "");
  return [...groups.values()].filter(({ length }) => length > 1);
}

/** Moves each occurrence of a text that is divided among leaves into the first of them. Returns the leaves that changed. */
function joinText(leaves: readonly Leaf[], text: string): Leaf[] {
  const changed: Leaf[] = [];
  const whole = leaves.map((leaf) => leaf.text).join("");
  for (let at = whole.indexOf(text); at !== -1; at = whole.indexOf(text, at + text.length))
    changed.push(...joinOccurrence(leaves, at, at + text.length));
  return changed;
}

function joinOccurrence(leaves: readonly Leaf[], from: number, to: number): Leaf[] {
  const touched: { leaf: Leaf; start: number; end: number }[] = [];
  let offset = 0;
  for (const leaf of leaves) {
    const [start, end] = [Math.max(from, offset), Math.min(to, offset + leaf.text.length)];
    if (start < end) touched.push({ leaf, start: start - offset, end: end - offset });
    offset += leaf.text.length;
  }
  const [first, ...others] = touched;
  if (first === undefined || others.length === 0) return [];
  for (const { leaf, start, end } of others) {
    setLeaf(first.leaf, first.leaf.text + leaf.text.slice(start, end));
    setLeaf(leaf, leaf.text.slice(0, start) + leaf.text.slice(end));
  }
  return touched.map(({ leaf }) => leaf);
}

function setLeaf(leaf: Leaf, text: string): void {
  leaf.text = text;
  leaf.holder[leaf.name] = text;
}
