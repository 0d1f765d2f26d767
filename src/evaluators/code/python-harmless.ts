import { PYTHON_HARMLESS_NAMES } from "./python-harmless-names.js";

/**
 * Tells by its syntax alone whether a Python program can do nothing but compute, so that it may share a process with
 * its tests. It lists what is allowed, and everything else is in doubt: a doubt costs nothing but the second opinion.
 */
export const PYTHON_HARMLESS = `${PYTHON_HARMLESS_NAMES}
class Doubt(Exception):
    pass


def doubts(text, job):
    """Why a program is not known to be harmless; empty when it is."""
    try:
        Inspection(text, job).run()
    except Doubt as doubt:
        return str(doubt) or "in doubt"
    return ""


class Inspection:
    def __init__(self, text, job):
        import ast
        self.ast, self.text, self.job = ast, text, job
        self.tree = ast.parse(text)
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        # What each imported name stands for, and those of them that are modules.
        self.imported, self.modules = {}, {}

    def run(self):
        for node in self.ast.walk(self.tree):
            if isinstance(node, (self.ast.Import, self.ast.ImportFrom)):
                self.look_at_import(node)
        for node in self.ast.walk(self.tree):
            self.check_words(node)
            look = getattr(self, "look_at_" + type(node).__name__, None)
            if look is not None:
                look(node)
        self.look_at_bindings()
        self.look_at_scopes()

    def refuse(self, why):
        raise Doubt("not run together with its tests: " + why)

    def check_words(self, node):
        """Names that are no nodes of their own: of classes, of what is caught, matched, imported or passed."""
        if isinstance(node, (self.ast.Constant, self.ast.Name, self.ast.Attribute, self.ast.ImportFrom)):
            return
        for _, value in self.ast.iter_fields(node):
            for word in value if isinstance(value, list) else [value]:
                if isinstance(word, str) and (is_special(word) and word not in SPECIAL_DEFINED or word in REFUSED_ATTRIBUTES):
                    self.refuse("it names " + word)

    # -- imports

    def look_at_import(self, node):
        if isinstance(node, self.ast.Import):
            for alias in node.names:
                module = self.load(alias.name)
                shown = sys.modules[alias.name.partition(".")[0]] if alias.asname is None else module
                self.bind(alias.asname or alias.name.partition(".")[0], shown)
            return
        if node.module == "__future__":
            return
        if node.level:
            self.refuse("a relative import")
        module = self.load(node.module)
        for alias in node.names:
            if alias.name == "*":
                if node.module.startswith("numpy"):
                    self.refuse("it takes over all of " + node.module)
                public = getattr(module, "__all__", None) or [name for name in dir(module) if name[0] != "_"]
                for name in public:
                    self.bind(name, self.member(module, name, True))
            else:
                self.bind(alias.asname or alias.name, self.member(module, alias.name))

    def load(self, name):
        if name not in MODULES:
            self.refuse("it imports " + name)
        try:
            __import__(name)
        except ImportError:
            self.refuse("there is no " + name)
        return sys.modules[name]

    def bind(self, name, value):
        self.imported[name] = value
        if isinstance(value, type(sys)):
            self.modules[name] = value

    def member(self, module, name, is_starred=False):
        """What a module has by a name, when that is allowed."""
        if name.startswith("_") or (name in REFUSED_MEMBERS and not is_starred):
            self.refuse("it uses " + name)
        allowed = ALLOWED_MEMBERS.get(module.__name__)
        is_file = module.__name__ == "numpy" and name in FILES_OF_NUMPY
        if is_file or allowed is not None and name not in allowed:
            self.refuse("it uses " + module.__name__ + "." + name)
        value = getattr(module, name, None)
        if isinstance(value, type(sys)) and value.__name__ not in MODULES:
            self.refuse("it uses " + value.__name__)
        return value

    # -- names and attributes

    def look_at_Name(self, node):
        name, parent = node.id, self.parents[node]
        if name in REFUSED_NAMES or name in REFUSED_MEMBERS:
            self.refuse("it uses " + name)
        if is_special(name) and name not in (SPECIAL_NAMES if isinstance(node.ctx, self.ast.Load) else SPECIAL_DEFINED):
            self.refuse("it uses " + name)
        if name in self.modules and not isinstance(parent, self.ast.Attribute):
            self.refuse("it hands on the module " + name)
        if name in ("getattr", "type", "next"):
            self.look_at_call_of(name, node, parent)
        self.check_maker(self.imported.get(name), node)

    def check_maker(self, value, node):
        """Classes that make classes out of texts may be derived from, and no more."""
        parent = self.parents[node]
        is_base = isinstance(parent, self.ast.ClassDef) or isinstance(parent, self.ast.keyword) and parent.arg == "metaclass"
        if isinstance(value, type) and (issubclass(value, type) or type(value).__module__ == "enum") and not is_base:
            self.refuse("it makes classes")

    def look_at_call_of(self, name, node, call):
        if not (isinstance(call, self.ast.Call) and call.func is node) or call.keywords:
            is_check = isinstance(call, self.ast.Call) and getattr(call.func, "id", "") == "isinstance"
            self.refuse("it hands on " + name) if not (is_check and name == "type") else None
            return
        if name == "next" and len(call.args) != 2:
            self.refuse("it may end a loop of the tests")
        if name == "getattr":
            word = call.args[1] if len(call.args) > 1 else None
            if not isinstance(word, self.ast.Constant) or not isinstance(word.value, str) or word.value.startswith("_"):
                self.refuse("it looks up attributes")
            if word.value == "format":
                self.refuse("it formats by a pattern that it makes")
            self.check_attribute(word.value)
        if name == "type":
            use = self.parents[call]
            is_name = isinstance(use, self.ast.Attribute) and use.attr == "__name__"
            if len(call.args) != 1 or not (is_name or isinstance(use, (self.ast.Compare, self.ast.FormattedValue))):
                self.refuse("it makes classes")

    def look_at_Attribute(self, node):
        self.check_attribute(node.attr)
        is_load = isinstance(node.ctx, self.ast.Load)
        if is_special(node.attr):
            named = node.attr == "__class__" and getattr(self.parents[node], "attr", "") == "__name__"
            if not is_load or not (node.attr in SPECIAL_ATTRIBUTES or named):
                self.refuse("it uses " + node.attr)
        if node.attr == "format" and not isinstance(node.value, self.ast.Constant):
            self.refuse("it formats by a pattern that it makes")
        found = self.resolve(node)
        self.check_maker(found, node)
        root = node
        while isinstance(root, self.ast.Attribute):
            root = root.value
        if not is_load and isinstance(root, self.ast.Name) and root.id in self.imported:
            self.refuse("it changes " + root.id)
        if isinstance(found, type(sys)) and not isinstance(self.parents[node], self.ast.Attribute):
            self.refuse("it hands on the module " + node.attr)
        if not is_load and not self.is_own(node.value) and node.attr in self.library_names():
            self.refuse("it sets " + node.attr)

    def check_attribute(self, name):
        if name in REFUSED_ATTRIBUTES or name in REFUSED_MEMBERS:
            self.refuse("it uses " + name)

    def resolve(self, node):
        """What an attribute of a module is; None for all others."""
        if isinstance(node, self.ast.Name):
            return self.modules.get(node.id)
        if not isinstance(node, self.ast.Attribute):
            return None
        base = self.resolve(node.value)
        return self.member(base, node.attr) if isinstance(base, type(sys)) else None

    def is_own(self, node):
        return isinstance(node, self.ast.Name) and node.id in ("self", "cls", "s")

    def library_names(self):
        """All that classes of imported modules have: a program must not change it."""
        values = [item for module in self.modules.values() for item in vars(module).values()]
        classes = [value for value in [*values, *self.imported.values()] if isinstance(value, type)]
        return {name for cls in classes if not cls.__flags__ & IMMUTABLE for name in dir(cls)}

    # -- constants, definitions and the rest

    def look_at_Constant(self, node):
        if not isinstance(node.value, (str, bytes)):
            return
        text = node.value if isinstance(node.value, str) else node.value.decode("latin-1")
        parent = self.parents[node]
        is_guard = text == "__main__" and isinstance(parent, self.ast.Compare)
        is_special_text = "__" in text or any(name in text for name in REFUSED_ATTRIBUTES if "_" in name)
        if is_special_text and not is_guard and not isinstance(parent, self.ast.Expr):
            self.refuse("it has a name of Python's own in a text")

    def look_at_arg(self, node):
        self.check_annotation(node.annotation)

    def look_at_AnnAssign(self, node):
        self.check_annotation(node.annotation)

    def check_annotation(self, annotation):
        for part in self.ast.walk(annotation) if annotation is not None else ():
            if isinstance(part, self.ast.Constant) and isinstance(part.value, str) and not set(part.value) <= ANNOTATING:
                self.refuse("an annotation that computes")

    def look_at_FunctionDef(self, node):
        self.check_annotation(node.returns)
        if is_special(node.name) and node.name not in SPECIAL_DEFINED:
            self.refuse("it defines " + node.name)

    look_at_AsyncFunctionDef = look_at_FunctionDef

    def look_at_ClassDef(self, node):
        if any(type(self.value_of(base)).__module__ == "enum" for base in node.bases) and not self.has_member(node):
            self.refuse("it has an enumeration of nothing")
        for keyword in node.keywords:
            if keyword.arg != "metaclass" or getattr(keyword.value, "id", getattr(keyword.value, "attr", "")) != "ABCMeta":
                self.refuse("it has a class of classes")
        for decorator in node.decorator_list:
            maker = decorator.func if isinstance(decorator, self.ast.Call) else decorator
            if getattr(maker, "id", getattr(maker, "attr", "")) not in ("dataclass", "unique", "final"):
                self.refuse("it decorates a class")

    def value_of(self, node):
        return self.imported.get(node.id) if isinstance(node, self.ast.Name) else self.resolve(node)

    def has_member(self, node):
        """An enumeration without members could be called to make another one."""
        return any(
            isinstance(part, self.ast.Assign) and isinstance(part.targets[0], self.ast.Name)
            and not part.targets[0].id.startswith("_")
            and (isinstance(part.value, self.ast.Constant) or getattr(getattr(part.value, "func", None), "id", "") == "auto")
            for part in node.body
        )

    def look_at_NamedExpr(self, node):
        if hasattr(builtins, node.target.id):
            self.refuse("it defines " + node.target.id)

    def look_at_Call(self, node):
        if getattr(node.func, "id", getattr(node.func, "attr", "")) == "wraps" and (len(node.args) != 1 or node.keywords):
            self.refuse("it changes how a function is wrapped")

    # -- what the tests see

    def look_at_bindings(self):
        """Nothing that the tests rely on may be the program's, but for what it was asked for."""
        asked, prompt = self.job["entry"], self.definitions_of(self.job["prompt"])
        tests = self.parse(self.job["tests"])
        defined = {node.name for node in self.ast.walk(tests) if isinstance(node, DEFINING(self.ast))}
        for name, node in self.bound(self.tree):
            if isinstance(node, (self.ast.Import, self.ast.ImportFrom)):
                self.check_import(name, node)
                continue
            if name == asked or (name in prompt and self.ast.dump(node) in prompt[name]):
                continue
            if hasattr(builtins, name) or name in defined or name in prompt and name in self.job["names"]:
                self.refuse("it defines " + name)
            if name in self.job["names"] and (name in sys.stdlib_module_names or name == "np"):
                self.refuse("it defines " + name)

    def check_import(self, name, node):
        if hasattr(builtins, name) and getattr(node, "module", "") != "math":
            self.refuse("it imports something as " + name)
        for alias in node.names:
            if alias.asname not in (None, alias.name) and (hasattr(builtins, name) or name in self.job["names"]) and name == alias.asname:
                if (alias.name, alias.asname) not in USUAL_ALIASES:
                    self.refuse("it imports something as " + name)

    def parse(self, text):
        try:
            return self.ast.parse(text)
        except SyntaxError:
            return self.ast.parse("")

    def definitions_of(self, text):
        tree = self.parse(text)
        found = {}
        for name, node in self.bound(tree):
            found.setdefault(name, set()).add(self.ast.dump(node))
        return found

    def bound(self, tree):
        """The names that are given at the top level, each with the statement that gives it."""
        todo = list(tree.body)
        while todo:
            node = todo.pop()
            if isinstance(node, DEFINING(self.ast)):
                yield node.name, node
                continue
            if isinstance(node, (self.ast.Import, self.ast.ImportFrom)):
                for alias in node.names:
                    yield (alias.asname or alias.name).partition(".")[0], node
                continue
            if isinstance(node, self.ast.Name) and not isinstance(node.ctx, self.ast.Load):
                yield node.id, node
            for field in ("name", "rest"):
                if isinstance(getattr(node, field, None), str):
                    yield getattr(node, field), node
            if not isinstance(node, self.ast.Lambda):
                todo.extend(self.ast.iter_child_nodes(node))

    def look_at_scopes(self):
        """No function of the program may read or change what the tests have given a name to."""
        import symtable
        tests = self.parse(self.job["tests"])
        theirs = {name for name, node in self.bound(tests) if not self.is_shared_import(name, node)}
        # What runs before the program is the program's to use.
        theirs -= {name for name, _ in self.bound(self.parse(self.job["before"]))}
        todo = [symtable.symtable(self.text, "<program>", "exec")]
        while todo:
            table = todo.pop()
            todo.extend(table.get_children())
            for symbol in table.get_symbols():
                name = symbol.get_name()
                is_outer = symbol.is_global() or table.get_type() == "module"
                if is_outer and name in theirs and name != self.job["entry"]:
                    self.refuse("it uses %s of the tests" % name)
                if symbol.is_declared_global() and (hasattr(builtins, name) or name == self.job["entry"] or name in self.imported):
                    self.refuse("it changes " + name)


    def is_shared_import(self, name, node):
        """True when the tests import what the program imports too, or the program itself."""
        if isinstance(node, self.ast.ImportFrom) and node.module == "solution":
            return True
        return isinstance(node, (self.ast.Import, self.ast.ImportFrom)) and name in self.imported


def is_special(name):
    return name.startswith("__") and name.endswith("__")


def DEFINING(ast):
    return (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
`;
