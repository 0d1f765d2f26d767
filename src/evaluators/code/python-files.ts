/**
 * Files in the working folders of the two Python processes. Each has its own folder; where the tests deal with files,
 * every message carries those that were written or removed, so that the program finds what the tests have left for it.
 */
export const PYTHON_FILES = `
MAX_FILES, MAX_FILE_BYTES, MAX_SENT_BYTES = 200, 1 << 20, 4 << 20


class Files:
    def __init__(self, holds_tests):
        self.root, self.known, self.holds_tests = os.getcwd(), None, holds_tests

    def find_changes(self):
        """What was written, made or removed since the last look: paths with contents, True for a folder, None when gone."""
        if self.known is None:
            return None
        before, self.known = self.known, self.look()
        gone = [[path, None] for path in sorted(before, reverse=True) if path not in self.known]
        made = [[path, self.read(path)] for path, state in sorted(self.known.items()) if before.get(path) != state]
        sizes = 0
        for each in made:
            sizes += len(each[1]) if type(each[1]) is str else 0
        return gone + made if sizes <= MAX_SENT_BYTES else gone

    def look(self):
        found = {}
        for at, folders, names in os.walk(self.root):
            for name in folders + names:
                path = os.path.join(at, name)
                state = os.lstat(path)
                if name in folders:
                    found[path[len(self.root) + 1:]] = True
                elif os.path.isfile(path) and state.st_size <= MAX_FILE_BYTES:
                    found[path[len(self.root) + 1:]] = (state.st_mtime_ns, state.st_size)
            if len(found) > MAX_FILES:
                break
        return found

    def read(self, path):
        if self.known[path] is True:
            return True
        try:
            with io.open(os.path.join(self.root, path), "rb") as file:
                return file.read().hex()
        except OSError:
            return None

    def take(self, changes):
        # Only the tests say whether files go to and fro.
        if changes is None or self.holds_tests and self.known is None:
            return
        for path, content in changes:
            try:
                self.write(path, content)
            except OSError:
                pass
        self.known = self.look()

    def write(self, path, content):
        """Only below the folder, and through no link."""
        whole = os.path.join(self.root, path)
        is_below = os.path.normpath(path) == path and path[:2] != ".." and not os.path.isabs(path)
        if not is_below or os.path.realpath(os.path.dirname(whole)) != os.path.dirname(whole):
            return
        if content is True:
            os.makedirs(whole, exist_ok=True)
        elif content is None:
            os.rmdir(whole) if os.path.isdir(whole) else os.unlink(whole)
        else:
            file = os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, 0o666)
            with io.open(file, "wb") as opened:
                opened.write(bytes.fromhex(content))
`;
