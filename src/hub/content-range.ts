/** Which bytes an answer holds, as its `Content-Range` says; null when it does not. */
export function contentRange(headers: Headers): { start: number; end: number; size: number | null } | null {
  const match = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(headers.get("content-range")?.trim() ?? "");
  if (match === null) return null;
  const [, first, last, size] = match;
  return { start: Number(first), end: Number(last) + 1, size: size === "*" ? null : Number(size) };
}
