import { EventEmitter, getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { allEnded, nextEvent } from './async.ts';

// Background work waits after each commit, so listeners that stay would fill the memory.
it.each(['the event', 'the end of the time', 'an abort'])(
  'a wait that ends with %s leaves no listener behind',
  async (end) => {
    const events = new EventEmitter();
    const stopping = new AbortController();
    const waiting = nextEvent(events, 'added', end === 'the end of the time' ? 1 : 600_000, stopping.signal);
    expect(events.listenerCount('added')).toBe(1);
    if (end === 'the event') events.emit('added');
    if (end === 'an abort') stopping.abort();
    await waiting;
    expect(events.listenerCount('added')).toBe(0);
    expect(getEventListeners(stopping.signal, 'abort')).toEqual([]);
  },
);

it('a wait that begins after the abort ends at once', async () => {
  const events = new EventEmitter();
  await nextEvent(events, 'added', 600_000, AbortSignal.abort());
  expect(events.listenerCount('added')).toBe(0);
});

it('all have ended before the first error in time is thrown', async () => {
  const ended: string[] = [];
  const end = async (name: string, turns: number, error?: Error) => {
    for (let i = 0; i < turns; i++) await Promise.resolve();
    ended.push(name);
    if (error) throw error;
    return name;
  };
  expect(await allEnded([end('a', 2), end('b', 1)])).toEqual(['a', 'b']);
  ended.length = 0;
  const failing = allEnded([
    end('late', 9, new Error('late')),
    end('first', 2, new Error('first')),
    end('last', 20),
  ]);
  await expect(failing).rejects.toThrow('first');
  expect(ended).toEqual(['first', 'late', 'last']);
});
