/** True for names and addresses of this machine, as spelled by `URL.hostname`. */
export function isLoopback(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, "");
  if (host === "localhost" || host.endsWith(".localhost") || host === "::1") return true;
  // An IPv4-mapped IPv6 address: URL writes the first two bytes as one group, 127.x as 7fxx.
  return /^127(?:\.\d{1,3}){3}$/.test(host) || /^::ffff:7f[\da-f]{2}:[\da-f]{1,4}$/.test(host);
}
