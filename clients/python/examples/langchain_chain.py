from langchain_core.language_models import FakeListChatModel  # your chat model
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough

from memoryd import Client
from memoryd.integrations.langchain import MemorydRetriever

memory = Client()
memory.add("Ana prefers the window seat", topics=["travel"])
retriever = MemorydRetriever(client=memory, limit=3, options={"topics": ["travel"]})
prompt = ChatPromptTemplate.from_template("Known: {known}\nQuestion: {question}")
model = FakeListChatModel(responses=["The window seat."])
chain = {"known": retriever, "question": RunnablePassthrough()} | prompt | model
said = chain.invoke("which seat does Ana like?")
