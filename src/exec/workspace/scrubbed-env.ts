import { existsSync } from "node:fs";

/** Variables that are the same for all programs; others may contain secrets or change behavior. */
const INHERITED_VARIABLES = [
  "PATH",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "TZ",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
];

const PROXY_VARIABLES = ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];

const LOCAL_HOSTS = ["127.0.0.1", "localhost"];

export interface ScrubbedEnvOptions {
  /** Variables of the example. */
  readonly env?: Readonly<Record<string, string>>;
  readonly home: string;
  readonly tmp: string;
  /** Overrides all others. */
  readonly extra?: Readonly<Record<string, string>>;
  /** Where inherited variables come from. Default: process.env. */
  readonly from?: NodeJS.ProcessEnv;
}

/**
 * Builds an environment without the user's own variables: no key is passed on except those an example names.
 * @example
 * buildScrubbedEnv({ home: "/tmp/a/home", tmp: "/tmp/a/tmp", env: { CI: "1" } });
 */
export function buildScrubbedEnv({
  env,
  home,
  tmp,
  extra,
  from = process.env,
}: ScrubbedEnvOptions): Record<string, string> {
  return {
    LANG: "C.UTF-8",
    PATH: "/usr/local/bin:/usr/bin:/bin",
    ...pickVariables(from, INHERITED_VARIABLES),
    ...pickProxyVariables(from),
    HOME: home,
    TMPDIR: tmp,
    USER: "agent",
    LOGNAME: "agent",
    SHELL: existsSync("/bin/bash") ? "/bin/bash" : "/bin/sh",
    TERM: "dumb",
    ...env,
    ...extra,
  };
}

/** The gateway is on this machine, which a proxy cannot reach. */
function pickProxyVariables(from: NodeJS.ProcessEnv): Record<string, string> {
  const proxies = pickVariables(from, PROXY_VARIABLES);
  if (Object.keys(proxies).length === 0) return {};
  const hosts = [from.NO_PROXY ?? "", from.no_proxy ?? ""]
    .flatMap((list) => list.split(","))
    .map((host) => host.trim());
  const direct = [...new Set([...hosts.filter(Boolean), ...LOCAL_HOSTS])].join(",");
  return { ...proxies, NO_PROXY: direct, no_proxy: direct };
}

function pickVariables(from: NodeJS.ProcessEnv, names: readonly string[]): Record<string, string> {
  const entries = names.flatMap((name) => {
    const value = from[name];
    return value === undefined || value === "" ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}
