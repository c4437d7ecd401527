import { readdirSync, readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { aiSdk } from '../examples/scripted.js';
import type { Client } from '../src/index.js';
import { memorydMiddleware, memorydTools } from '../src/integrations/ai-sdk.js';
import { memorydMemoryTool } from '../src/integrations/anthropic.js';
import { newClient } from './user.js';

const linesOf = (path: string) =>
  readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '').length;
const filesIn = (folder: string) =>
  readdirSync(new URL(`../${folder}`, import.meta.url)).map((name) => `${folder}/${name}`);

describe('adapters', () => {
  let client: Client;
  beforeEach(async () => {
    client = await newClient();
  });

  it.each(['langgraph', 'anthropic', 'ai-sdk', 'mastra'])(
    'adapters: the example of %s runs',
    async (name) => {
      const { said } = (await import(`../examples/${name}.ts`)) as { said: string };
      expect(said).toContain('window seat');
    },
  );

  it('adapters have at most 60 lines, and their examples 15', () => {
    const long = filesIn('src/integrations').filter((path) => linesOf(path) > 60);
    const examples = filesIn('examples').filter((path) => !path.includes('scripted'));
    expect([...long, ...examples.filter((path) => linesOf(path) > 15)]).toEqual([]);
  });

  it('adapters: the memory tool of Anthropic has six operations', async () => {
    const tool = memorydMemoryTool(client);
    const act = async (command: string, given: object) =>
      String(await tool.run({ command, ...given } as never));
    const path = '/memories/p/a.md';
    expect(await act('view', { path: '/memories' })).toMatch(/0\.0K\t\/memories$/);
    expect(await act('create', { path, file_text: 'one\ntwo\n' })).toBe(
      `File created successfully at: ${path}`,
    );
    await expect(act('create', { path, file_text: 'x' })).rejects.toThrow('already exists');
    expect(await act('view', { path, view_range: [2, 2] })).toMatch(/:\n {5}2\ttwo$/);
    expect(await act('str_replace', { path, old_str: 'one', new_str: 'ONE' })).toContain('     1\tONE');
    await expect(act('str_replace', { path, old_str: 'one', new_str: 'x' })).rejects.toThrow('verbatim');
    await act('insert', { path, insert_line: 1, insert_text: 'between\n' });
    expect(await act('view', { path })).toContain('     2\tbetween\n     3\ttwo');
    expect(await act('view', { path: '/memories' })).toContain('\t/memories/p/\n');
    await act('rename', { old_path: '/memories/p', new_path: '/memories/q' });
    await expect(act('view', { path: '/memories/p' })).rejects.toThrow('does not exist');
    expect(await act('view', { path: '/memories/q/a.md' })).toContain('ONE');
    await act('delete', { path: '/memories/q' });
    expect(await client.trash()).not.toEqual([]);
    for (const outside of ['/memories/../etc/passwd', '/etc', '/memoriesx', 'memories'])
      await expect(act('view', { path: outside })).rejects.toThrow('must start with /memories');
  });

  it('adapters: tools of the AI SDK store and find', async () => {
    const { searchMemory, addMemory } = memorydTools(client);
    const options = { toolCallId: '1', messages: [], context: {} } as never;
    expect(await searchMemory.execute?.({ query: 'trains' }, options)).toContain('Nothing is known');
    expect(await addMemory.execute?.({ content: 'Ana takes night trains' }, options)).toMatch(/^Stored as /);
    expect(await searchMemory.execute?.({ query: 'trains' }, options)).toContain('Ana takes night trains');
  });

  it('adapters: the middleware of the AI SDK puts memories before the question, as data', async () => {
    await client.add('Ana prefers the window seat');
    const { generateText, wrapLanguageModel } = await import('ai');
    const model = aiSdk('ok');
    const wrapped = wrapLanguageModel({ model, middleware: memorydMiddleware(client) });
    await generateText({ model: wrapped, prompt: 'Which seat does Ana like?' });
    const sent = JSON.stringify(model.doGenerateCalls[0].prompt);
    expect(sent).toMatch(/<memories>.*Ana prefers the window seat.*<\/memories>.*Which seat/);
  });

  it('adapters: the processor of Mastra recalls, and stores what was said', async () => {
    await client.add('Ana prefers the window seat');
    const { Agent } = await import('@mastra/core/agent');
    const { MemorydProcessor } = await import('../src/integrations/mastra.js');
    const [model, processor] = [aiSdk('The window.'), new MemorydProcessor(client)];
    const own = { id: 'a', name: 'a', instructions: 'Help.', model: model as never };
    const agent = new Agent({ ...own, inputProcessors: [processor], outputProcessors: [processor] });
    await agent.generate('Which seat does Ana like?');
    const calls = JSON.stringify(
      [...model.doGenerateCalls, ...model.doStreamCalls].map(({ prompt }) => prompt),
    );
    expect(calls).toContain('Ana prefers the window seat');
    const stored: string[] = [];
    for await (const { content } of client.memories()) stored.push(content);
    expect(stored.sort()).toEqual([
      'Ana prefers the window seat',
      'The window.',
      'Which seat does Ana like?',
    ]);
  });
});
