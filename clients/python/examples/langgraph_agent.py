from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.store.base import BaseStore

from memoryd.integrations.langgraph import MemorydStore


def answer(state: MessagesState, *, store: BaseStore) -> dict:
    known = store.search(("users", "ana"), query=state["messages"][-1].content, limit=1)
    store.put(("users", "ana"), "last-question", {"text": state["messages"][-1].content})
    return {"messages": [("ai", known[0].value["text"] if known else "I do not know.")]}


store = MemorydStore()
store.put(("users", "ana"), "seat", {"text": "Ana prefers the window seat", "kind": "preference"})
graph = StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer").add_edge("answer", END)
said = graph.compile(store=store).invoke({"messages": [("user", "which seat does Ana like?")]})
