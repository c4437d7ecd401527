from pydantic_ai import Agent
from scripted import pydantic_ai as model  # your model

from memoryd import Client
from memoryd.integrations.pydantic_ai import memory_toolset

Client().add("Ana prefers the window seat")
agent = Agent(model(query="which seat does Ana like?"), toolsets=[memory_toolset()])
said = agent.run_sync("Which seat does Ana like?").output
