import { memorydMemoryTool } from '@memoryd/client/anthropic';
import { anthropic } from './scripted.js'; // new Anthropic()

const note = { command: 'create', path: '/memories/ana.md', file_text: 'Ana prefers the window seat\n' };
const client = anthropic(
  { type: 'tool_use', id: 't1', name: 'memory', input: note },
  { type: 'text', text: 'I remember: the window seat.' },
);
const messages = [{ role: 'user' as const, content: 'Remember that Ana prefers the window seat.' }];
const tools = [memorydMemoryTool()];
const answer = await client.beta.messages.toolRunner({ model: 'claude', max_tokens: 500, messages, tools });
export const said: unknown = answer.content[0].type === 'text' && answer.content[0].text;
