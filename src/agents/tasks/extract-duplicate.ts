import { type AgentTask, createTestGrader, createWriteCommand } from "./task.js";

const FUNCTION = String.raw`function slugify(text) {
  return text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
}
`;

const POSTS = `export function postPath({ year, title }) {
  return "/posts/" + year + "/" + slugify(title);
}
`;

const TAGS = `export function tagPath(tag) {
  return "/tags/" + slugify(tag);
}
`;

const VISIBLE_TESTS = `import assert from "node:assert/strict";
import test from "node:test";
import { postPath } from "./posts.mjs";
import { tagPath } from "./tags.mjs";

test("paths of posts", () => {
  assert.equal(postPath({ year: 2024, title: "Crème brûlée, at last!" }), "/posts/2024/creme-brulee-at-last");
});

test("paths of tags", () => {
  assert.equal(tagPath("  C++ & friends "), "/tags/c-friends");
});
`;

const HIDDEN_TESTS = `${VISIBLE_TESTS}
test("slug.mjs exports the function", async () => {
  const { slugify } = await import("./slug.mjs");
  assert.equal(slugify("Ünïcode -- 42"), "unicode-42");
  assert.equal(slugify("!!!"), "");
});
`;

/** Extract a function that is duplicated in two files. */
export const extractDuplicate: AgentTask = {
  id: "extract-duplicate",
  kind: "refactor",
  difficulty: "easy",
  question:
    "The same function slugify stands in posts.mjs and in tags.mjs. Move it to a module of its own, slug.mjs, that exports it, and let both files import it from there. Nothing else may change, least of all the paths. Run the tests with: node --test",
  files: [
    { dest: "posts.mjs", content: `${FUNCTION}\n${POSTS}` },
    { dest: "tags.mjs", content: `${FUNCTION}\n${TAGS}` },
    { dest: "paths.test.mjs", content: VISIBLE_TESTS },
  ],
  graders: [
    createTestGrader("paths.test.mjs", HIDDEN_TESTS),
    { type: "file-not-contains", name: "no-duplicate", config: { path: "{posts,tags}.mjs", value: ".normalize(" } },
  ],
  walkthrough: [
    { command: "cat posts.mjs tags.mjs" },
    createWriteCommand("slug.mjs", `export ${FUNCTION}`),
    createWriteCommand("posts.mjs", `import { slugify } from "./slug.mjs";\n\n${POSTS}`),
    createWriteCommand("tags.mjs", `import { slugify } from "./slug.mjs";\n\n${TAGS}`),
    { command: "node --test" },
    { text: "slugify now stands in slug.mjs alone; posts.mjs and tags.mjs import it." },
  ],
};
