from scripted import anthropic as client_of  # anthropic.Anthropic()

from memoryd.integrations.anthropic import MemorydMemoryTool

note = {"command": "create", "path": "/memories/ana.md", "file_text": "Ana prefers the window seat\n"}
client = client_of(
    {"type": "tool_use", "id": "t1", "name": "memory", "input": note},
    {"type": "text", "text": "I will remember that."},
)
tool = MemorydMemoryTool()
question = {"role": "user", "content": "Remember that Ana prefers the window seat."}
runner = client.beta.messages.tool_runner(model="claude", max_tokens=500, messages=[question], tools=[tool])
said = runner.until_done().content[0].text
