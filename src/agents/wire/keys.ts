import { hash } from "node:crypto";
import { canonicalJson, getErrorMessage } from "../../core/index.js";
import type { WireCall, WireItem, WireResult } from "./item.js";

/** An item with a key by which it is recognized when a later request repeats it. */
export interface KeyedItem {
  readonly item: WireItem;
  readonly key: string;
  /** Of a result: the key of its call. */
  readonly callKey: string;
}

/**
 * Makes the keys of one conversation, item by item. Keys come from contents, because clients change ids; equal items are
 * counted. Reasoning is not repeated reliably and has no key.
 */
export class ItemKeys {
  readonly #counts = new Map<string, number>();
  /** Calls without a result so far, by key. */
  readonly #open = new Map<string, WireCall>();

  add(items: readonly WireItem[]): KeyedItem[] {
    return items.map((item) => this.#add(item));
  }

  #add(item: WireItem): KeyedItem {
    if (item.kind === "reasoning") return { item, key: "", callKey: "" };
    if (item.kind === "result") {
      const callKey = this.#takeCall(item);
      return {
        item,
        key: callKey === "" ? this.#count(`result ${digestText(item.text)}`) : `result ${callKey}`,
        callKey,
      };
    }
    if (item.kind !== "call") return { item, key: this.#count(`${item.kind} ${digestText(item.text)}`), callKey: "" };
    const key = this.#count(`call ${describeCall(item)}`);
    this.#open.set(key, item);
    return { item, key, callKey: "" };
  }

  #count(base: string): string {
    const count = (this.#counts.get(base) ?? 0) + 1;
    this.#counts.set(base, count);
    return `${base} ${count}`;
  }

  /** The call of a result: with its id, else the oldest of its tool. */
  #takeCall({ id, name }: WireResult): string {
    const open = [...this.#open];
    const found =
      (id === null ? undefined : open.find(([, call]) => call.id === id)) ??
      open.find(([, call]) => (call.id === null || id === null) && (name === null || call.name === name));
    if (found === undefined) return "";
    this.#open.delete(found[0]);
    return found[0];
  }
}

/** Name and arguments, whatever the order of their keys. */
function describeCall({ name, arguments: given }: WireCall): string {
  return digestText(`${name}\0${toStableText(given)}`);
}

/** Arguments may be nested too deeply to serialize. */
function toStableText(value: unknown): string {
  try {
    return canonicalJson(value);
  } catch (error) {
    return getErrorMessage(error);
  }
}

/** Clients may trim texts. */
function digestText(text: string): string {
  return hash("sha1", text.trim(), "base64");
}
