import type { Service } from '../client/service.ts';

/** The text of a memory by its id; undefined if it does not exist. */
export type TextOf = (id: string) => string | undefined;

const perRequest = 100;

interface Batch {
  readonly data: readonly { readonly id: string; readonly content: string }[];
  readonly meta: { readonly rest?: readonly string[] };
}

/** Reads the texts of memories, for lists of ids. */
export async function textsOf(service: Service, ids: readonly string[]): Promise<TextOf> {
  const texts = new Map<string, string>();
  const left = [...ids];
  while (left.length > 0) {
    const { body } = await service.ask({
      path: '/api/memories/batch',
      body: { ids: left.splice(0, perRequest), detail: 'minimal' },
    });
    const { data, meta } = body as unknown as Batch;
    for (const { id, content } of data) texts.set(id, content);
    // Long texts may fill a response before all requested memories are in it.
    if (data.length > 0) left.push(...(meta.rest ?? []));
  }
  return (id) => texts.get(id);
}
