import { createHash } from "node:crypto";

export interface RepoPlan {
  /** By branch or tag, e.g. `main` and `refs/convert/parquet`. */
  readonly revisions: Record<string, { files: Record<string, Uint8Array> }>;
  /** True if files require an accepted token. */
  readonly isGated?: boolean;
  /** True if the repository is hidden without the token. */
  readonly isPrivate?: boolean;
  /** The token for a gated or private repository. */
  readonly token?: string;
  /** New name: every request is redirected there. */
  readonly movedTo?: string;
}

/** A file with the hub's metadata. */
export interface ScriptedFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isLarge: boolean;
  readonly sha256: string;
  /** Hash of the content, or of the pointer to a large file. */
  readonly oid: string;
}

interface ReposPlan {
  readonly repos: Record<string, RepoPlan>;
  readonly isLarge?: (path: string, size: number) => boolean;
}

/** The repositories of a scripted hub, with commits and hashes computed from their files. */
export class ScriptedRepos {
  readonly #plan: ReposPlan;
  readonly #hashes = new WeakMap<Uint8Array, { sha256: string; gitSha1: string }>();

  constructor(plan: ReposPlan) {
    this.#plan = plan;
  }

  find(repo: string): RepoPlan | undefined {
    return Object.hasOwn(this.#plan.repos, repo) ? this.#plan.repos[repo] : undefined;
  }

  /** The files of a branch, tag or commit, by path; undefined for an unknown revision. */
  files(repo: string, revision: string): { commit: string; files: readonly ScriptedFile[] } | undefined {
    const revisions = this.find(repo)?.revisions ?? {};
    const name = Object.keys(revisions).find((each) => each === revision || this.#commit(repo, each) === revision);
    if (name === undefined) return undefined;
    return { commit: this.#commit(repo, name), files: this.#files(repo, name) };
  }

  getCommit(repo: string, revision: string): string {
    const found = this.files(repo, revision);
    if (found === undefined) throw new Error(`the scripted hub has no ${repo} at ${revision}`);
    return found.commit;
  }

  findBySha256(sha256: string): ScriptedFile | undefined {
    for (const [repo, { revisions }] of Object.entries(this.#plan.repos)) {
      for (const revision of Object.keys(revisions)) {
        const file = this.#files(repo, revision).find((each) => each.sha256 === sha256);
        if (file !== undefined) return file;
      }
    }
    return undefined;
  }

  #files(repo: string, revision: string): ScriptedFile[] {
    const files = this.find(repo)?.revisions[revision]?.files ?? {};
    const paths = Object.keys(files).sort();
    return paths.map((path) => this.#describe(path, files[path] ?? new Uint8Array()));
  }

  #describe(path: string, bytes: Uint8Array): ScriptedFile {
    const isLarge = (this.#plan.isLarge ?? isLargeByDefault)(path, bytes.length);
    const { sha256, gitSha1 } = this.#getHashes(bytes);
    const oid = isLarge ? computeGitSha1(Buffer.from(`oid sha256:${sha256}\nsize ${bytes.length}\n`)) : gitSha1;
    return { path, bytes, isLarge, sha256, oid };
  }

  #getHashes(bytes: Uint8Array): { sha256: string; gitSha1: string } {
    const known = this.#hashes.get(bytes);
    if (known !== undefined) return known;
    const made = { sha256: createHash("sha256").update(bytes).digest("hex"), gitSha1: computeGitSha1(bytes) };
    this.#hashes.set(bytes, made);
    return made;
  }

  #commit(repo: string, revision: string): string {
    const files = this.#files(repo, revision).map(({ path, sha256 }) => [path, sha256]);
    return createHash("sha1").update(JSON.stringify(files)).digest("hex");
  }
}

function isLargeByDefault(path: string, size: number): boolean {
  return /\.(?:parquet|gz)$/.test(path) || size >= 64 * 1024;
}

function computeGitSha1(bytes: Uint8Array): string {
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
