import asyncio

from agent_framework import Agent
from scripted import agent_framework as model  # your chat client

from memoryd import AsyncClient
from memoryd.integrations.agent_framework import MemorydProvider


async def main() -> str:
    memory = AsyncClient()
    await memory.add("Ana prefers the window seat")
    agent = Agent(model("The window seat."), context_providers=[MemorydProvider(memory)])
    return (await agent.run("Which seat does Ana like?", session=agent.create_session())).text


said = asyncio.run(main())
