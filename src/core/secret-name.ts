const SECRET_NAME = /auth|key|token|secret|cookie|password|credential/;

/** True for headers and fields of a query that hold a secret, by their name. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.toLowerCase());
}
