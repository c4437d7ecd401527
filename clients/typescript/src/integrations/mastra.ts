import type { ProcessInputArgs, ProcessOutputResultArgs, Processor } from '@mastra/core/processors';
import { Client } from '../client.js';
import { recalled } from '../recall.js';

type Said = ProcessInputArgs['messages'][number];

const textOf = ({ content }: Said) =>
  content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');

interface Options {
  /** Memories that are recalled; default 5. */
  readonly limit?: number;
  readonly minRelevance?: number;
}

/** Mastra: recalls what fits the last message as a processor of the input, and stores what was said as one of the output. */
export class MemorydProcessor implements Processor<'memoryd'> {
  readonly id = 'memoryd' as const;
  readonly #client: Client;
  readonly #options: Options;

  constructor(client = new Client(), options: Options = {}) {
    this.#client = client;
    this.#options = options;
  }

  async processInput({ messages, systemMessages }: ProcessInputArgs) {
    const asked = messages.findLast(({ role }) => role === 'user');
    const query = asked ? textOf(asked) : '';
    const hits = query.trim() === '' ? [] : await this.#client.search(query, { limit: 5, ...this.#options });
    const text = recalled(hits);
    return {
      messages,
      systemMessages: text ? [...systemMessages, { role: 'system' as const, content: text }] : systemMessages,
    };
  }

  async processOutputResult({ messages, messageList }: ProcessOutputResultArgs) {
    const chat = [...messageList.get.input.db(), ...messages].filter(
      ({ role }) => role === 'user' || role === 'assistant',
    );
    const once = new Map(chat.map((one) => [one.id, one]));
    const said = [...once.values()].map((one) => ({ id: one.id, role: one.role, content: textOf(one) }));
    const thread = chat.find(({ threadId }) => threadId)?.threadId;
    if (said.length > 0) await this.#client.addMessages(said, { thread });
    return messages;
  }
}
