import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { McpSessions } from './sessions.ts';

const options = { mcpSessionsMax: 3, mcpSessionsPerUserMax: 2, mcpSessionIdleMs: 1000 };

function newSessions() {
  const clock = { time: 0 };
  return { clock, sessions: new McpSessions(options, () => clock.time) };
}

/** The methods of a stream that a session uses. */
class FakeStream extends EventEmitter {
  writableLength = 0;
  ended = false;
  destroyed = false;
  written = '';
  write(text: string) {
    this.written += text;
  }
  end() {
    this.ended = true;
  }
  destroy() {
    this.destroyed = true;
  }
}
const asResponse = (stream: FakeStream) => stream as unknown as ServerResponse;

describe('MCP sessions', () => {
  it('MCP sessions end when nobody used them for the idle time', () => {
    const { clock, sessions } = newSessions();
    const id = sessions.open(1) ?? '';
    clock.time = 1000;
    expect(sessions.use(1, id)).toBe(true);
    clock.time = 2001;
    expect(sessions.use(1, id)).toBe(false);
    expect(sessions.size).toBe(0);
  });

  it('MCP sessions stay as long as their event stream is open, and the idle time beyond', () => {
    const { clock, sessions } = newSessions();
    const id = sessions.open(1) ?? '';
    const stream = new FakeStream();
    expect(sessions.attach(1, id, asResponse(stream))).toBe(true);
    clock.time = 5000;
    sessions.endIdle();
    expect(sessions.size).toBe(1);
    stream.emit('close');
    clock.time = 6000;
    expect(sessions.use(1, id)).toBe(true);
  });

  it('MCP sessions are not given beyond their number in all, and a user with too many loses the oldest without a stream', () => {
    const { sessions } = newSessions();
    const first = sessions.open(1) ?? '';
    const second = sessions.open(1) ?? '';
    sessions.attach(1, first, asResponse(new FakeStream()));
    expect(sessions.open(1)).toBeDefined();
    expect([sessions.use(1, first), sessions.use(1, second)]).toEqual([true, false]);
    expect(sessions.open(2)).toBeDefined();
    expect(sessions.open(3)).toBeUndefined();
    expect(sessions.size).toBe(3);
  });

  it('MCP sessions belong to one user', () => {
    const { sessions } = newSessions();
    const id = sessions.open(1) ?? '';
    expect(sessions.use(2, id)).toBe(false);
    expect(sessions.end(2, id)).toBe(false);
    expect(sessions.end(1, id)).toBe(true);
  });

  it('MCP sessions have one stream, the newest, which is cut off when its client reads nothing', () => {
    const { sessions } = newSessions();
    const id = sessions.open(1) ?? '';
    const [older, newer] = [new FakeStream(), new FakeStream()];
    sessions.attach(1, id, asResponse(older));
    sessions.attach(1, id, asResponse(newer));
    expect(older.ended).toBe(true);
    older.emit('close');
    sessions.keepAlive();
    expect(newer.written).toBe(': keep-alive\n\n');
    newer.writableLength = 10_000;
    sessions.keepAlive();
    expect(newer.destroyed).toBe(true);
  });
});
