import { Client } from '@memoryd/client';
import { memorydMiddleware, memorydTools } from '@memoryd/client/ai-sdk';
import { generateText, wrapLanguageModel } from 'ai';
import { aiSdk } from './scripted.js'; // your model

const memory = new Client();
await memory.add('Ana prefers the window seat');
const model = wrapLanguageModel({ model: aiSdk('The window seat.'), middleware: memorydMiddleware(memory) });
const answer = await generateText({
  model,
  tools: memorydTools(memory),
  prompt: 'Which seat does Ana like?',
});
export const said: unknown = answer.text;
