import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { UsageError } from "../../core/errors.js";
import type { HubOptions } from "./hub.js";

/** Everything that decides how a hub is reached. */
export interface HubSettings {
  /** Without a slash at its end. */
  readonly endpoint: string;
  readonly token: string | null;
  readonly isOffline: boolean;
  readonly cacheDir: string;
}

const HUB = "https://huggingface.co";

/** The settings that options and environment come to. */
export function readSettings({ env = process.env, ...options }: HubOptions): HubSettings {
  return {
    endpoint: checkedEndpoint(options.endpoint ?? filled(env.HF_ENDPOINT) ?? HUB),
    token: checkedToken(filled(options.token) ?? tokenOf(env)),
    isOffline: options.offline ?? isOn(env.HF_HUB_OFFLINE),
    cacheDir: options.cacheDir ?? filled(env.ASSAY_DATASETS_CACHE) ?? findHubCache(env),
  };
}

function checkedEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(`HF_ENDPOINT is ${JSON.stringify(text)}, which is no address. Give one such as ${HUB}.`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new UsageError("HF_ENDPOINT holds a user name or a password. Leave them out; a token goes into HF_TOKEN.");
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

/** A header with other characters would be refused by an error that prints it. */
function checkedToken(token: string | null): string | null {
  if (token === null || /^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError("HF_TOKEN holds characters that no token has, such as a space. Copy the token again.");
}

/** The cache of the hub's own tools, where they look for it. */
function findHubCache(env: NodeJS.ProcessEnv): string {
  return filled(env.HF_HUB_CACHE) ?? filled(env.HUGGINGFACE_HUB_CACHE) ?? join(hubHome(env), "hub");
}

function hubHome(env: NodeJS.ProcessEnv): string {
  return filled(env.HF_HOME) ?? join(userCache(env), "huggingface");
}

function tokenOf(env: NodeJS.ProcessEnv): string | null {
  return filled(env.HF_TOKEN) ?? filled(env.HUGGING_FACE_HUB_TOKEN) ?? filled(tokenFile(env));
}

/** What `hf auth login` left. */
function tokenFile(env: NodeJS.ProcessEnv): string | undefined {
  try {
    return readFileSync(filled(env.HF_TOKEN_PATH) ?? join(hubHome(env), "token"), "utf8");
  } catch {
    return undefined;
  }
}

function userCache(env: NodeJS.ProcessEnv): string {
  return filled(env.XDG_CACHE_HOME) ?? join(filled(env.HOME) ?? homedir(), ".cache");
}

function isOn(value: string | undefined): boolean {
  return /^(?:1|on|yes|true)$/i.test(value?.trim() ?? "");
}

function filled(value: string | undefined): string | null {
  const text = value?.trim() ?? "";
  return text === "" ? null : text;
}
