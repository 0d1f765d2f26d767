import { ownValue } from "../../core/own-value.js";
import { findStatedAnswers, isCounterfactual, isRetracted, type StatedAnswer } from "../stated-answer/index.js";
import type { LabelMap } from "./label-map.js";

const BLOCKED =
  "(?:and|but|so|thus|therefore|hence|rather|instead|only|because|which|mention\\w*|enough|sufficient)\\b";
const DENIAL = `(?:\\b(?:not|never|no|cannot|neither|nor|without|non|fails? to|failed to)|n['’]t)(?![\\s]+only\\b)(?:\\s{1,3}(?!${BLOCKED})[\\w'’]{1,30}){0,4}?[\\s_-]{1,3}`;
/** What else the answer is called. */
const NAMES =
  /\b(?:label|verdict|relation(?:ship)?|conclusion|classification|judge?ment|prediction|choice|category|response|stance)\b/gi;
const CLASSIFIED = /\b(?:classified|labell?ed|categori[sz]ed) (?:as|:)\s?(?:an? )?[*"'`(]{0,3}$/i;
const CONCLUDED =
  /\b(?:therefore|thus|hence|so|consequently|overall|in conclusion|in summary|accordingly)\b[^.\n]{0,110}$/i;
const HYPOTHETICAL = /\b(?:whether|if|either|determine|decide|options|labels|choices)\b[^.\n]{0,60}$/i;
const MARKED = /(?:\*\*|\\boxed\{(?:\\text\{)?|<answer>\s?|`|")$/;
const LISTED = /^\W{0,4}(?:,|\/|\||\bor\b)\W{0,4}(?:(?:or|is|an?)\W{1,3}){0,3}$/i;
const BEFORE = 130;
const BEHIND = 200;
/** A label that is announced stands at most this far behind the announcement: "the answer is that the text entails it". */
const MAX_DISTANCE = 60;
/** A label is among the last of a response; a text of nothing but labels is no answer. */
const MOST = 4000;

interface Found {
  label: string;
  /** It stands for what a denied label leaves: "not entailment". */
  isDenied: boolean;
  at: number;
  end: number;
}

/** Finds the labels of one map in texts. */
export class LabelReader {
  readonly #pattern: RegExp;
  readonly #map: LabelMap;

  constructor(map: LabelMap) {
    this.#map = map;
    const plain = map.labels.map(({ pattern }) => `(${pattern})`).join("|");
    this.#pattern = new RegExp(
      `(?<!\\w)(?:${plain})(?!\\w)|${DENIAL}(?:${plain})(?!\\w)|(?<!\\w)(${map.phrases?.pattern ?? "(?!)"})(?!\\w)`,
      "gi",
    );
  }

  /** The label that a text is, and nothing but it; null when there is none. */
  whole(text: string): string | null {
    const bare = text.trim().replace(/^[\s"'*(]+|[\s"'*).!]+$/g, "");
    const found = this.#all(bare);
    const [only] = found;
    return found.length === 1 && only?.at === 0 && only.end === bare.length ? only.label : null;
  }

  /** The label that a model's own answer arrives at; null when it names none. */
  label(text: string): string | null {
    const found = withoutLists(this.#all(text), text).filter(
      ({ at, end }) => !isCounterfactual(before(text, at)) && !isRetracted(text.slice(end, end + BEHIND)),
    );
    const real = found.filter(({ at }) => !HYPOTHETICAL.test(before(text, at)));
    const edge = this.#atEdge(text);
    const isChosen = found.some(({ label }) => label === edge);
    return lastStated(real, text) ?? (isChosen ? edge : null) ?? real.at(-1)?.label ?? found.at(-1)?.label ?? null;
  }

  /** Whether a text names any label, chosen or not. */
  hasLabel(text: string): boolean {
    return this.#all(text).length > 0;
  }

  /** A label on the last line alone, or one that the response begins with before it explains. */
  #atEdge(text: string): string | null {
    const trimmed = text.trim();
    const last = this.whole(trimmed.slice(trimmed.lastIndexOf("\n") + 1).slice(0, 200));
    if (last !== null) return last;
    const opening = /^[^\n.,;:!–—(]{1,60}?(?=[\n.,;:!–—(]|\s-\s|$)/.exec(trimmed)?.[0];
    return opening === undefined ? null : this.whole(opening);
  }

  #all(text: string): Found[] {
    const found: Found[] = [];
    for (const match of text.matchAll(this.#pattern)) {
      const named = this.#labelOf(match);
      if (named !== null) found.push({ ...named, at: match.index, end: match.index + match[0].length });
      if (found.length > 2 * MOST) found.splice(0, MOST);
    }
    return found.slice(-MOST);
  }

  /** The groups are each label, each label denied, the phrases. */
  #labelOf(match: RegExpMatchArray): Pick<Found, "label" | "isDenied"> | null {
    const { labels, phrases, denied } = this.#map;
    const hit = match.findIndex((group, i) => i > 0 && group !== undefined) - 1;
    const isPhrase = hit >= 2 * labels.length;
    const isDenied = !isPhrase && hit >= labels.length;
    const named = isPhrase ? phrases?.label : labels[hit % labels.length]?.label;
    const label = isDenied ? ownValue(denied, named ?? "") : named;
    return label === undefined ? null : { label, isDenied };
  }
}

/** The last label that is announced as the answer, else the last one that is concluded or marked as it. */
function lastStated(found: readonly Found[], text: string): string | null {
  const fromEnd = [...found].reverse();
  const announced = firstBehind(findStatedAnswers(text, { names: NAMES }), found, text);
  const classified = fromEnd.find(({ at }) => CLASSIFIED.test(before(text, at)));
  if (announced !== null && (classified === undefined || announced.at >= classified.at)) return announced.label;
  if (classified !== undefined) return classified.label;
  const concluded = fromEnd.find(({ at }) => CONCLUDED.test(before(text, at)) || MARKED.test(before(text, at)));
  return concluded?.label ?? null;
}

/** The label that stands where the answer is stated; of several places the last one with a label. */
function firstBehind(stated: readonly StatedAnswer[], found: readonly Found[], text: string): Found | null {
  for (const { from, end, by } of stated) {
    if (by === "space") continue;
    const first = found.find(({ at }) => at >= from && at < end);
    if (first === undefined || first.at - from > MAX_DISTANCE) continue;
    if (!/[.\n]\s*\S/.test(text.slice(from, first.at))) return first;
  }
  return null;
}

/** "entailment, contradiction or neutral" only tells what there is to choose from. */
function withoutLists(found: readonly Found[], text: string): Found[] {
  const listed = new Set<Found>();
  for (const [i, next] of found.entries()) {
    const previous = found[i - 1];
    if (previous === undefined || previous.label === next.label || next.at - previous.end > 12) continue;
    // "Contradiction, not entailment" chooses.
    if (next.isDenied) continue;
    if (LISTED.test(text.slice(previous.end, next.at))) listed.add(previous).add(next);
  }
  return found.filter((one) => !listed.has(one));
}

function before(text: string, at: number): string {
  return text.slice(Math.max(0, at - BEFORE), at);
}
