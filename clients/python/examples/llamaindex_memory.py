import asyncio

from llama_index.core.llms import ChatMessage
from llama_index.core.memory import Memory

from memoryd import AsyncClient
from memoryd.integrations.llamaindex import MemorydBlock


async def main() -> str:
    client = AsyncClient()
    await client.add("Ana prefers the window seat")
    memory = Memory.from_defaults(session_id="s1", memory_blocks=[MemorydBlock(client=client)])
    await memory.aput(ChatMessage(role="user", content="Which seat does Ana like?"))
    return str((await memory.aget())[0].content)  # what your agent's LLM gets


said = asyncio.run(main())
