/** How long a `Retry-After` header asks to wait, in milliseconds; null when it says nothing that makes sense. */
export function retryAfterMs(header: string | null, now: number): number | null {
  const text = header?.trim() ?? "";
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000);
  // A date in HTTP begins with the name of its day; without that check, more than dates would pass for one.
  const time = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? null : Math.max(0, time - now);
}
