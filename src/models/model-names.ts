/** Names that let the program choose its model. */
const WILDCARD_MODELS = new Set(["auto", "default"]);

/** Suffixes that providers add for one release of a model: a date, a release number, "latest", a context length. */
const RELEASE_SUFFIX =
  /(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{4}|\d{2}-\d{2}|\d{4}|00\d|latest|default|v\d+:\d+)|\[\w+\]|:\w+)$/;

/**
 * True when two names mean the same model: with or without its provider, as an alias or as a dated release.
 * @example
 * isSameModel("gpt-5.4", "openai/gpt-5.4-2026-03-05"); // true
 * isSameModel("sonnet", "claude-sonnet-5-5"); // true
 * isSameModel("gpt-5.4", "gpt-5.4-mini"); // false
 */
export function isSameModel(asked: string, called: string): boolean {
  const [wanted, found] = [normalizeModelName(asked), normalizeModelName(called)];
  if (wanted === found || WILDCARD_MODELS.has(wanted)) return true;
  // An alias without a version means the newest of its family.
  if (/\d/.test(wanted)) return false;
  const words = new Set(found.split("-"));
  return found !== "" && /\d/.test(found) && wanted.split("-").every((word) => words.has(word));
}

/** Lowercase, without provider and release, and with one separator in versions. */
function normalizeModelName(name: string): string {
  let plain = (name.split("/").at(-1) ?? name)
    .toLowerCase()
    .replace(/^(?:\w+\.)?(?:anthropic|openai|google|amazon)\./, "");
  for (let shorter = plain.replace(RELEASE_SUFFIX, ""); shorter !== plain; shorter = plain.replace(RELEASE_SUFFIX, ""))
    plain = shorter;
  return plain.replaceAll(/(?<=\d)\.(?=\d)/g, "-");
}
