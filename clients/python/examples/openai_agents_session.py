import asyncio

from agents import Agent, Runner
from scripted import openai_agents as model  # your model

from memoryd.integrations.openai_agents import MemorydSession


async def main() -> str:
    agent = Agent(name="travel", model=model("Noted.", "The window seat."))
    session = MemorydSession("ana-42")
    await Runner.run(agent, "I prefer the window seat.", session=session)
    return (await Runner.run(agent, "Which seat do I like?", session=session)).final_output


said = asyncio.run(main())
