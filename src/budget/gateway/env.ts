import { PROVIDERS, type ProviderName } from "./provider.js";

/** The variables by which programs are pointed at another address, for each provider. */
const VARIABLES: Readonly<Record<ProviderName, readonly string[]>> = {
  openai: ["OPENAI_BASE_URL", "OPENAI_API_BASE"],
  anthropic: ["ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE"],
  google: ["GOOGLE_GEMINI_BASE_URL", "GEMINI_BASE_URL", "GEMINI_API_BASE"],
};

const PROXIES = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

/** What a program needs in its environment to go through the gateway at this URL. */
export function gatewayEnv(url: string, env: NodeJS.ProcessEnv): Record<string, string> {
  const pointed = Object.values(PROVIDERS).flatMap(({ name, mount }) =>
    VARIABLES[name].map((variable) => [variable, url + mount] as const),
  );
  return { ...Object.fromEntries(pointed), ...withoutProxy(url, env) };
}

/** A program that uses a proxy would ask the proxy for an address on this very machine. */
function withoutProxy(url: string, env: NodeJS.ProcessEnv): Record<string, string> {
  if (!PROXIES.some((name) => env[name])) return {};
  const { hostname } = new URL(url);
  const hosts = [env.NO_PROXY ?? env.no_proxy ?? "", hostname].filter(Boolean).join(",");
  return { NO_PROXY: hosts, no_proxy: hosts };
}
