/** A few names, and how many more there are. */
export function abbreviateNames(names: readonly string[], most = 1): string {
  const more = names.length - most;
  return more > 0 ? `${names.slice(0, most).join(", ")} +${more}` : names.join(", ");
}
