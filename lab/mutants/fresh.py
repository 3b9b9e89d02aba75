"""Import a module with a fault in place of the module."""

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType


class FaultyLoader(SourceFileLoader):
    """Loads a module from another text than its file's."""

    source = b""

    def get_code(self, fullname: str) -> CodeType:  # noqa: ARG002 - importlib's signature
        """Return the code of the text."""
        return compile(self.source, self.path, "exec", dont_inherit=True)


class FaultyModule(MetaPathFinder):
    """Finds one module; all others are found as always."""

    def __init__(self, path: str, source: bytes) -> None:
        self._name = module_name(path)
        self._source = source

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: ModuleType | None = None,  # noqa: ARG002 - importlib's signature
    ) -> ModuleSpec | None:
        """Return how the module is loaded."""
        spec = PathFinder.find_spec(fullname, path) if fullname == self._name else None
        if spec is not None and spec.origin is not None:
            spec.loader = loader = FaultyLoader(fullname, spec.origin)
            loader.source = self._source
        return spec


def module_name(path: str) -> str:
    """Return the name by which a file of the repository is imported."""
    return path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def import_with(path: str, source: bytes) -> None:
    """From now on, import a module with this text."""
    sys.meta_path.insert(0, FaultyModule(path, source))
