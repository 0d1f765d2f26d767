import { describe, expect, it } from "vitest";
import { signAwsRequest, type UnsignedRequest } from "./sign.js";

/** The key of AWS's published test suite. */
const KEY = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
  sessionToken: null,
};
const SUITE_TIME = Date.UTC(2015, 7, 30, 12, 36);
const SUITE_TOKEN =
  "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGdQrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+scqKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA==";

interface Vector {
  readonly name: string;
  readonly request: Partial<UnsignedRequest>;
  readonly service?: string;
  readonly token?: string;
  readonly names: string;
  readonly signature: string;
}

const VECTORS: readonly Vector[] = [
  {
    name: "post-vanilla of AWS's test suite",
    request: {},
    names: "host;x-amz-date",
    signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
  },
  {
    name: "post-x-www-form-urlencoded of AWS's test suite",
    request: { headers: { "content-type": "application/x-www-form-urlencoded" }, body: "Param1=value1" },
    names: "content-type;host;x-amz-date",
    signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a",
  },
  {
    name: "post-sts-header-before of AWS's test suite",
    request: {},
    token: SUITE_TOKEN,
    names: "host;x-amz-date;x-amz-security-token",
    signature: "85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead",
  },
  {
    name: "the example of AWS's documentation, with a query",
    request: {
      method: "GET",
      url: "https://iam.amazonaws.com/?Version=2010-05-08&Action=ListUsers",
      headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
    },
    service: "iam",
    names: "content-type;host;x-amz-date",
    signature: "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
  },
];

describe("signAwsRequest", () => {
  it.each(VECTORS)("signs $name", ({ request, service = "service", token, names, signature }) => {
    const signed = signAwsRequest(
      { method: "POST", url: "https://example.amazonaws.com/", headers: {}, body: "", ...request },
      { ...KEY, sessionToken: token ?? null },
      { region: "us-east-1", service, now: SUITE_TIME },
    );
    expect(signed).toEqual({
      "x-amz-date": "20150830T123600Z",
      ...(token === undefined ? {} : { "x-amz-security-token": token }),
      authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/${service}/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
    });
  });

  /** Computed with `@smithy/signature-v4` 5, the signer of AWS's SDK. */
  it.each([
    ["eu.anthropic.claude-haiku-4-5-20251001-v1:0", "a18af00d908086a26b5d22000c7979f0f8692d6d28faac1958a88c699a500de8"],
    [
      "arn:aws:bedrock:eu-central-1:123456789012:application-inference-profile/a(b)*c",
      "ba8855307395df2b8e78644b647e4939a3be6fb13875667296034e93c6037ab2",
    ],
  ])("signs a path with %s like AWS's SDK", (model, signature) => {
    const { authorization } = signAwsRequest(
      {
        method: "POST",
        url: `https://bedrock-runtime.eu-central-1.amazonaws.com/model/${encodeURIComponent(model)}/converse-stream`,
        headers: { "content-type": "application/json", accept: "application/json", "user-agent": "assay/1" },
        body: '{"messages":[{"role":"user","content":[{"text":"Wo? – Ω"}]}]}',
      },
      { ...KEY, sessionToken: "token/of+a=session" },
      { region: "eu-central-1", service: "bedrock", now: Date.UTC(2026, 10, 18, 12) },
    );
    expect(authorization).toContain("SignedHeaders=content-type;host;x-amz-date;x-amz-security-token,");
    expect(authorization).toContain(`Signature=${signature}`);
  });

  it("never sends the secret", () => {
    const signed = signAwsRequest(
      { method: "POST", url: "https://example.amazonaws.com/", headers: {}, body: KEY.secretAccessKey },
      KEY,
      { region: "us-east-1", service: "bedrock", now: SUITE_TIME },
    );
    expect(JSON.stringify(signed)).not.toContain(KEY.secretAccessKey);
  });
});
