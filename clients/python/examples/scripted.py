"""Models that say what they are told to, in place of an LLM: the examples run as tests. Take your own model instead."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any


def openai_agents(*texts: str) -> Any:
    from agents import Model, ModelResponse, Usage
    from openai.types.responses import ResponseOutputMessage, ResponseOutputText

    class Scripted(Model):
        said = iter(texts)

        async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
            self.seen = (args[1:] or [kwargs.get("input")])[0]
            text = ResponseOutputText(type="output_text", text=next(self.said), annotations=[])
            message = ResponseOutputMessage(
                id="m", type="message", role="assistant", status="completed", content=[text]
            )
            return ModelResponse(output=[message], usage=Usage(), response_id=None)

        def stream_response(self, *args: Any, **kwargs: Any) -> Any:
            raise NotImplementedError

    return Scripted()


def anthropic(*blocks: dict[str, Any]) -> Any:
    import httpx2
    from anthropic import Anthropic

    said = iter(blocks)
    seen: list[Any] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(json.loads(request.content))
        block = next(said)
        reason = "tool_use" if block["type"] == "tool_use" else "end_turn"
        usage = {"input_tokens": 1, "output_tokens": 1}
        body = {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": "m",
            "content": [block],
            "stop_reason": reason,
        }
        return httpx2.Response(200, json={**body, "stop_sequence": None, "usage": usage})

    client = Anthropic(api_key="none", http_client=httpx2.Client(transport=httpx2.MockTransport(answer)))
    client.seen = seen  # type: ignore[attr-defined]
    return client


def google_adk(*texts: str) -> Any:
    from google.adk.models.base_llm import BaseLlm
    from google.adk.models.llm_response import LlmResponse
    from google.genai.types import Content, Part

    said = iter(texts)

    class Scripted(BaseLlm):
        async def generate_content_async(self, request: Any, stream: bool = False) -> AsyncIterator[LlmResponse]:
            yield LlmResponse(content=Content(role="model", parts=[Part(text=next(said))]))

    return Scripted(model="scripted")


def agent_framework(*texts: str) -> Any:
    from agent_framework import BaseChatClient, ChatResponse, Message

    class Scripted(BaseChatClient):
        said = iter(texts)

        async def _inner_get_response(
            self, *, messages: Any, stream: bool, options: Any, **kwargs: Any
        ) -> ChatResponse:
            self.seen = messages
            return ChatResponse(messages=[Message("assistant", [next(self.said)])])

    return Scripted()


def strands(*texts: str) -> Any:
    from strands.models import Model

    class Scripted(Model):
        said = iter(texts)

        def update_config(self, **config: Any) -> None: ...

        def get_config(self) -> Any:
            return {}

        def structured_output(self, *args: Any, **kwargs: Any) -> Any:
            raise NotImplementedError

        async def stream(self, messages: Any, *args: Any, **kwargs: Any) -> AsyncIterator[Any]:
            self.seen = messages
            yield {"messageStart": {"role": "assistant"}}
            yield {"contentBlockStart": {"start": {}}}
            yield {"contentBlockDelta": {"delta": {"text": next(self.said)}}}
            yield {"contentBlockStop": {}}
            yield {"messageStop": {"stopReason": "end_turn"}}

    return Scripted()


def crewai(*texts: str) -> Any:
    from crewai import BaseLLM

    said = iter(texts)

    class Scripted(BaseLLM):
        def call(self, messages: Any, *args: Any, **kwargs: Any) -> str:
            return next(said)

    return Scripted(model="scripted")


def pydantic_ai(**arguments: str) -> Any:
    """Calls `search_memory` with the arguments, then says what that found."""
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    def answer(messages: list[Any], info: Any) -> ModelResponse:
        found = [part.content for part in messages[-1].parts if part.part_kind == "tool-return"]
        return ModelResponse(parts=[TextPart(found[0]) if found else ToolCallPart("search_memory", arguments)])

    return FunctionModel(answer)
