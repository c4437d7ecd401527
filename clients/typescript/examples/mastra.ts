import { Agent } from '@mastra/core/agent';
import { Client } from '@memoryd/client';
import { MemorydProcessor } from '@memoryd/client/mastra';
import { mastra as model } from './scripted.js'; // your model

const memory = new Client();
await memory.add('Ana prefers the window seat');
const processor = new MemorydProcessor(memory);
const own = { id: 'travel', name: 'travel', instructions: 'Help.', model: model('The window seat.') };
const agent = new Agent({ ...own, inputProcessors: [processor], outputProcessors: [processor] });
export const said: unknown = (await agent.generate('Which seat does Ana like?')).text;
