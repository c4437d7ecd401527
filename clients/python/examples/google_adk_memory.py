import asyncio

from google.adk.agents import LlmAgent
from google.adk.runners import InMemoryRunner
from scripted import google_adk as model  # your model

from memoryd.integrations.google_adk import MemorydMemoryService


async def main() -> str:
    memory = MemorydMemoryService()
    runner = InMemoryRunner(LlmAgent(name="travel", model=model("Noted.")), app_name="travel")
    await runner.run_debug("I prefer the window seat.", user_id="ana", session_id="s1", quiet=True)
    session = await runner.session_service.get_session(app_name="travel", user_id="ana", session_id="s1")
    await memory.add_session_to_memory(session)
    found = await memory.search_memory(app_name="travel", user_id="ana", query="which seat?")
    return found.memories[0].content.parts[0].text


said = asyncio.run(main())
