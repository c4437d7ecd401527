/**
 * An agent that remembers, with any model behind the API of OpenAI (Ollama unless OPENAI_BASE_URL says otherwise):
 * `npx tsx agent.ts "I moved to Lisbon."`, and another day `npx tsx agent.ts "Where do I live?"`
 */
import { Client, recalled } from '@memoryd/client';

const {
  OPENAI_BASE_URL = 'http://localhost:11434/v1',
  OPENAI_API_KEY = 'none',
  MODEL = 'llama3.2',
} = process.env;
const question = process.argv[2] ?? 'What do you know about me?';
const memory = new Client(); // MEMORYD_URL, MEMORYD_KEY

// Fenced as data: what is recalled may be somebody else's words.
const known = recalled(await memory.search(question, { limit: 5 }));
const answer = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: `Bearer ${OPENAI_API_KEY}` },
  body: JSON.stringify({
    model: MODEL,
    messages: [
      { role: 'system', content: `Answer in a sentence or two.\n${known}` },
      { role: 'user', content: question },
    ],
  }),
});
if (!answer.ok) throw new Error(`the model server answers ${answer.status}: ${await answer.text()}`);
const { choices } = (await answer.json()) as { choices: { message: { content: string } }[] };
const said = choices[0].message.content;
await memory.addMessages([
  { role: 'user', content: question },
  { role: 'assistant', content: said },
]);
console.log(said);
