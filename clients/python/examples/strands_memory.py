from scripted import strands as model  # your model
from strands import Agent
from strands.memory import MemoryManager

from memoryd import Client
from memoryd.integrations.strands import MemorydStore

Client().add("Ana prefers the window seat")
manager = MemoryManager(stores=[MemorydStore()])
agent = Agent(model=model("The window seat."), memory_manager=manager, callback_handler=None)
said = str(agent("Which seat does Ana like?")).strip()
