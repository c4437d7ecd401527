/* Models that say what they are told to, in place of an LLM: the examples run as tests. Take your own model instead. */

import Anthropic from '@anthropic-ai/sdk';
import { MockLanguageModelV3 } from 'ai/test';

/** @param blocks one for each answer */
export function anthropic(
  ...blocks: { readonly type: string; readonly [name: string]: unknown }[]
): Anthropic {
  const answer = async () => {
    const [block] = blocks.splice(0, 1);
    const own = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [block] };
    const stop = { stop_reason: block.type === 'tool_use' ? 'tool_use' : 'end_turn', stop_sequence: null };
    return Response.json({ ...own, ...stop, usage: { input_tokens: 1, output_tokens: 1 } });
  };
  return new Anthropic({ apiKey: 'none', fetch: answer });
}

/** The prompts that came are in its `doGenerateCalls` and `doStreamCalls`. */
export function aiSdk(text: string): MockLanguageModelV3 {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } } as never;
  const finishReason = { unified: 'stop', raw: 'stop' } as never;
  const parts = [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: text },
    { type: 'text-end', id: '1' },
    { type: 'finish', finishReason, usage },
  ];
  const start = (to: ReadableStreamDefaultController) => {
    for (const part of parts) to.enqueue(part);
    to.close();
  };
  return new MockLanguageModelV3({
    doGenerate: async () => ({ content: [{ type: 'text', text }], finishReason, usage, warnings: [] }),
    doStream: async () => ({ stream: new ReadableStream({ start }) as never }),
  });
}

/** For Mastra, whose types know only models of providers. */
export const mastra = (text: string) => aiSdk(text) as never;
