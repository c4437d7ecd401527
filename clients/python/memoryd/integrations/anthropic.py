"""The memory tool of Anthropic: files below /memories, each with its versions; a delete goes to the trash."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError

from .. import Client, Documents, InvalidInput
from .._files import FileError, MemoryFiles


def _said(act: Callable[[], str]) -> str:
    """A refusal is a result for the model; a service that does not answer is an error of the program."""
    try:
        return act()
    except (FileError, InvalidInput) as error:
        raise ToolError(str(error)) from error


class MemorydMemoryTool(BetaAbstractMemoryTool):
    def __init__(self, client: Client | None = None, *, space: str = "files", **given: Any) -> None:
        super().__init__(**given)
        self.files = MemoryFiles(Documents(client or Client(), space))

    def view(self, command: Any) -> str:
        return _said(lambda: self.files.view(command.path, command.view_range))

    def create(self, command: Any) -> str:
        return _said(lambda: self.files.create(command.path, command.file_text))

    def str_replace(self, command: Any) -> str:
        return _said(lambda: self.files.str_replace(command.path, command.old_str, command.new_str))

    def insert(self, command: Any) -> str:
        return _said(lambda: self.files.insert(command.path, command.insert_line, command.insert_text))

    def delete(self, command: Any) -> str:
        return _said(lambda: self.files.delete(command.path))

    def rename(self, command: Any) -> str:
        return _said(lambda: self.files.rename(command.old_path, command.new_path))

    def clear_all_memory(self) -> str:
        return _said(self.files.clear)


class AsyncMemorydMemoryTool(BetaAsyncAbstractMemoryTool):
    def __init__(self, client: Client | None = None, *, space: str = "files", **given: Any) -> None:
        super().__init__(**given)
        self.tool = MemorydMemoryTool(client, space=space)

    async def execute(self, command: Any) -> Any:
        return await asyncio.to_thread(self.tool.execute, command)

    async def clear_all_memory(self) -> str:
        return await asyncio.to_thread(self.tool.clear_all_memory)

    view = create = str_replace = insert = delete = rename = execute
