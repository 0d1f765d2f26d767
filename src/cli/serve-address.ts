const EVERYWHERE: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** What to say to who listens on all addresses, which is none that another machine could open; null for any other. */
export function addressRemark(host: string): string | null {
  if (!EVERYWHERE.has(host)) return null;
  return `From other machines, open it by the name or address of this one in place of ${host}.`;
}
