import { quoteShellWord } from "../../utils/index.js";

const PROXY_VARIABLES = /^(?:https?|all|no)_proxy$/i;

const VARIABLE_NAME = /^[A-Za-z_]\w*$/;

/** Proxies of this machine cannot be reached from a box, and their addresses may contain passwords. */
export function removeProxies(env: NodeJS.ProcessEnv): Record<string, string> {
  const own = Object.entries(env).flatMap(([name, value]): [string, string][] =>
    value === undefined || PROXY_VARIABLES.test(name) ? [] : [[name, value]],
  );
  return Object.fromEntries(own);
}

/** Lines of a shell that set the variables, one for each. */
export function formatExports(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .filter(([name]) => VARIABLE_NAME.test(name))
    .map(([name, value]) => `export ${name}=${quoteShellWord(value)}\n`)
    .join("");
}

/** The shell cannot set variables with such names: the beginning of a command that does. */
export function setOddVariables(env: Readonly<Record<string, string>>): string[] {
  const odd = Object.entries(env).filter(([name]) => !VARIABLE_NAME.test(name));
  return odd.length === 0 ? [] : ["/usr/bin/env", ...odd.map(([name, value]) => `${name}=${value}`)];
}

/** Files of certificates that the variables name, outside of the system's own folders too. */
export function listCertificates(env: NodeJS.ProcessEnv): string[] {
  return ["SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"].flatMap((name) => env[name] ?? []);
}
