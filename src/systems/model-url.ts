/**
 * The URL of a call. OpenAI's base URLs end with a version, most others do not, and people give them either way: a base
 * without a path gets `/v1`, a version that both have stands once, and a base that is the whole URL stays as it is.
 * @example
 * callUrl(new URL("http://127.0.0.1:8080"), "/chat/completions"); // "http://127.0.0.1:8080/v1/chat/completions"
 */
export function callUrl(base: URL, path: string): string {
  const [route = "", query = ""] = path.split("?");
  const url = new URL(base);
  url.pathname = joined(base.pathname.replace(/\/+$/, ""), route);
  for (const [name, value] of new URLSearchParams(query)) url.searchParams.set(name, value);
  url.hash = "";
  return url.href;
}

function joined(base: string, route: string): string {
  if (base.endsWith(route)) return base;
  const version = /^\/v\d[a-z\d]*(?=\/)/.exec(route)?.[0];
  if (version !== undefined) return base.endsWith(version) ? base + route.slice(version.length) : base + route;
  return (base === "" ? "/v1" : base) + route;
}
