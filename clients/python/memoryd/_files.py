"""Files below /memories, as the memory tool of Anthropic has them: documents with versions, in folders that need no making."""

from __future__ import annotations

import posixpath

from ._sync.documents import Documents

ROOT = "/memories"


class FileError(Exception):
    """A sentence for the model."""


class MemoryFiles:
    def __init__(self, documents: Documents) -> None:
        self._files = documents

    def view(self, path: str, lines: list[int] | None = None) -> str:
        path = _checked(path)
        file = self._files.read(path)
        if file is None:
            return self._folder(path)
        first, last = (max(1, lines[0]), lines[1]) if lines and len(lines) == 2 else (1, -1)
        shown = file.text.split("\n")[first - 1 : None if last == -1 else last]
        numbered = [f"{i:>6}\t{line}" for i, line in enumerate(shown, first)]
        return "\n".join([f"Here's the content of {path} with line numbers:", *numbered])

    def _folder(self, path: str) -> str:
        below = {one.key: len(one.text.encode()) for one in self._files.find(within=path) if _is_below(one.key, path)}
        if not below and path != ROOT:
            raise FileError(f"The path {path} does not exist. Please provide a valid path.")
        sizes = {path: sum(below.values())}
        for key, size in below.items():
            parts = key[len(path) + 1 :].split("/")
            for depth in range(1, min(2, len(parts)) + 1):
                name = f"{path}/{'/'.join(parts[:depth])}{'/' if depth < len(parts) else ''}"
                sizes[name] = sizes.get(name, 0) + size
        head = (
            f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:"
        )
        return "\n".join([head, *(f"{size / 1024:.1f}K\t{name}" for name, size in sorted(sizes.items()))])

    def create(self, path: str, text: str) -> str:
        if self._files.read(_checked(path)) is not None:
            raise FileError(f"Error: File {path} already exists")
        self._write(path, text)
        return f"File created successfully at: {path}"

    def str_replace(self, path: str, old: str, new: str) -> str:
        text = self._text(path)
        at = [i for i in range(len(text)) if old and text.startswith(old, i)]
        if not at:
            raise FileError(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
        if len(at) > 1:
            found = ", ".join(str(text[:i].count("\n") + 1) for i in at)
            raise FileError(
                f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {found}. Please ensure it is unique"
            )
        self._write(path, text[: at[0]] + new + text[at[0] + len(old) :])
        line = text[: at[0]].count("\n") + 1
        return f"The memory file has been edited.\n{self.view(path, [line - 2, line + 2])}"

    def insert(self, path: str, line: int, text: str) -> str:
        lines = self._text(path).splitlines()
        if not 0 <= line <= len(lines):
            raise FileError(
                f"Error: Invalid `insert_line` parameter: {line}. It should be within the range [0, {len(lines)}]."
            )
        self._write(path, "\n".join([*lines[:line], text.rstrip("\n"), *lines[line:]]) + "\n")
        return f"The file {path} has been edited."

    def delete(self, path: str) -> str:
        path = _checked(path)
        if path == ROOT:
            raise FileError("Cannot delete the /memories directory itself")
        for key in self._all(path):
            self._files.delete(key)
        return f"Successfully deleted {path}"

    def rename(self, old: str, new: str) -> str:
        old, new = _checked(old), _checked(new)
        if old == ROOT:
            raise FileError("Cannot rename the /memories directory itself")
        keys = self._all(old)
        if self._keys(new) or _is_below(new, old):
            raise FileError(f"Error: The destination {new} already exists")
        for key in keys:
            self._write(new + key[len(old) :], self._text(key))
            self._files.delete(key)
        return f"Successfully renamed {old} to {new}"

    def clear(self) -> str:
        for key in self._keys(ROOT):
            self._files.delete(key)
        return "All memory cleared"

    def _text(self, path: str) -> str:
        file = self._files.read(_checked(path))
        if file is None:
            raise FileError(f"Error: The path {path} does not exist. Please provide a valid path.")
        return file.text

    def _write(self, path: str, text: str) -> None:
        path = _checked(path)
        parts = path.split("/")
        self._files.write(path, text, within=["/".join(parts[:i]) for i in range(2, len(parts))])

    def _keys(self, path: str) -> list[str]:
        """The file itself, or all below the folder."""
        if self._files.read(path) is not None:
            return [path]
        return [one.key for one in self._files.find(within=path) if _is_below(one.key, path)]

    def _all(self, path: str) -> list[str]:
        keys = self._keys(path)
        if not keys:
            raise FileError(f"Error: The path {path} does not exist")
        return keys


def _is_below(key: str, path: str) -> bool:
    return key.startswith(f"{path}/")


def _checked(path: str) -> str:
    clean = posixpath.normpath(path)
    if clean != ROOT and not _is_below(clean, ROOT):
        raise FileError(f"Error: Path must start with /memories, got: {path}")
    return clean
