/** A part of a path that nobody would choose for a name. */
const SECRET_PART = /^[0-9a-f]{32,}$/i;

/** The parts of a URL's path that are secrets, such as the one that `assay gateway` puts there. */
export function secretsInPath(url: string): string[] {
  return new URL(url).pathname.split("/").filter((part) => SECRET_PART.test(part));
}
