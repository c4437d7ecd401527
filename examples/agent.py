"""An agent that remembers, with any model behind the API of OpenAI (Ollama unless OPENAI_BASE_URL says otherwise):
`python agent.py "I moved to Lisbon."`, and another day `python agent.py "Where do I live?"`"""

import os
import sys

import httpx

from memoryd import Client, recalled

server = os.environ.get("OPENAI_BASE_URL", "http://localhost:11434/v1")
key = os.environ.get("OPENAI_API_KEY", "none")
question = sys.argv[1] if len(sys.argv) > 1 else "What do you know about me?"

with Client() as memory:  # MEMORYD_URL, MEMORYD_KEY
    # Fenced as data: what is recalled may be somebody else's words.
    known = recalled(memory.search(question, limit=5))
    messages = [
        {"role": "system", "content": f"Answer in a sentence or two.\n{known}"},
        {"role": "user", "content": question},
    ]
    answer = httpx.post(
        f"{server}/chat/completions",
        headers={"authorization": f"Bearer {key}"},
        json={"model": os.environ.get("MODEL", "llama3.2"), "messages": messages},
        timeout=120,
    ).raise_for_status()
    said = answer.json()["choices"][0]["message"]["content"]
    memory.add_messages([{"role": "user", "content": question}, {"role": "assistant", "content": said}])
print(said)
