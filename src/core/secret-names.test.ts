import { expect, it } from "vitest";
import { isNonSecretName } from "./secret-names.js";

it.each(["X-Signature", "x-goog-iap-jwt-assertion", "X-Functions-Code", "Authorization", "code", "sig", "X-Foo"])(
  "treats %s as a secret",
  (name) => expect(isNonSecretName(name)).toBe(false),
);

it.each(["Content-Type", "User-Agent", "X-Team", "api-version", "anthropic-beta"])("treats %s as harmless", (name) =>
  expect(isNonSecretName(name)).toBe(true),
);
