import { anthropic } from "./anthropic.js";
import { bedrock } from "./bedrock.js";
import { chat } from "./chat.js";
import type { Dialect, DialectName } from "./dialect.js";
import { gemini } from "./gemini.js";
import { responses } from "./responses.js";

export * from "./dialect.js";

export const dialects: { readonly [Name in DialectName]: Dialect<Name> } = {
  chat,
  responses,
  anthropic,
  gemini,
  bedrock,
};
