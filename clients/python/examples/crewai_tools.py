from crewai import Agent, Task
from scripted import crewai as model  # your model

from memoryd import Client
from memoryd.integrations.crewai import memory_tools

Client().add("Ana prefers the window seat")
act = 'Thought: look\nAction: search_memory\nAction Input: {"query": "seat of Ana"}'
llm = model(act, "Thought: I know\nFinal Answer: The window seat.")
agent = Agent(role="guide", goal="help", backstory="none", tools=memory_tools(), llm=llm)
task = Task(description="Which seat does Ana like?", expected_output="a seat", agent=agent)
said = agent.execute_task(task)
