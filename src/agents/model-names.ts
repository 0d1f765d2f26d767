/** Where a name stands for whatever the program chooses. */
const ANY_MODEL = new Set(["auto", "default"]);

/** What providers add to a name for one state of the same model: a date, a number of the release, "latest", a context length. */
const RELEASE =
  /(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|\d{2}-\d{4}|\d{2}-\d{2}|\d{4}|00\d|latest|default|v\d+:\d+)|\[\w+\]|:\w+)$/;

/**
 * Whether two names mean the same model: with or without its provider, as an alias or as a dated release of it.
 * @example
 * isSameModel("gpt-5", "openai/gpt-5-2025-08-07"); // true
 * isSameModel("sonnet", "claude-sonnet-4-5"); // true
 * isSameModel("gpt-5", "gpt-5-mini"); // false
 */
export function isSameModel(asked: string, called: string): boolean {
  const [wanted, found] = [plainName(asked), plainName(called)];
  if (wanted === found || ANY_MODEL.has(wanted)) return true;
  // An alias without a version stands for the newest of its family.
  if (/\d/.test(wanted)) return false;
  const words = new Set(found.split("-"));
  return found !== "" && /\d/.test(found) && wanted.split("-").every((word) => words.has(word));
}

/** In small letters, without its provider, with one sign between parts of a version, and without a release. */
function plainName(name: string): string {
  let plain = (name.split("/").at(-1) ?? name)
    .toLowerCase()
    .replace(/^(?:\w+\.)?(?:anthropic|openai|google|amazon)\./, "");
  for (let shorter = plain.replace(RELEASE, ""); shorter !== plain; shorter = plain.replace(RELEASE, ""))
    plain = shorter;
  return plain.replaceAll(/(?<=\d)\.(?=\d)/g, "-");
}
