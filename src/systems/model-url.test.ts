import { expect, it } from "vitest";
import { buildCallUrl } from "./model.js";

const chat = "/chat/completions";
const gemini = "/v1beta/models/g:streamGenerateContent?alt=sse";

it.each([
  ["http://h:1", chat, "http://h:1/v1/chat/completions"],
  ["http://h:1/", chat, "http://h:1/v1/chat/completions"],
  ["http://h:1/v1", chat, "http://h:1/v1/chat/completions"],
  ["http://h:1/v1/", chat, "http://h:1/v1/chat/completions"],
  ["http://h:1/api/v1", chat, "http://h:1/api/v1/chat/completions"],
  ["http://h:1/openai", chat, "http://h:1/openai/chat/completions"],
  ["http://h:1/v1/chat/completions", chat, "http://h:1/v1/chat/completions"],
  ["http://h:1/d?api-version=2", chat, "http://h:1/d/chat/completions?api-version=2"],
  ["http://h:1", "/v1/messages", "http://h:1/v1/messages"],
  ["http://h:1/v1", "/v1/messages", "http://h:1/v1/messages"],
  ["http://h:1/anthropic", "/v1/messages", "http://h:1/anthropic/v1/messages"],
  ["http://h:1", gemini, `http://h:1${gemini}`],
  ["http://h:1/v1beta", gemini, `http://h:1${gemini}`],
])("calls %s%s at %s", (base, path, url) => expect(buildCallUrl(new URL(base), path)).toBe(url));
