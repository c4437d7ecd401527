import type { FastifyInstance } from 'fastify';
import Fastify from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unreadResponses } from './unread-responses.ts';

describe('when a response is sent', () => {
  let app: FastifyInstance;
  let url: string;
  let order: string[];
  beforeEach(async () => {
    order = [];
    app = Fastify();
    app.addHook('onSend', (_request, _reply, payload, done) => {
      setImmediate(() => order.push('others'));
      done(null, payload);
    });
    await app.register(unreadResponses, {
      unreadResponsesMb: 16,
      unreadResponsesPerUserMb: 16,
      responseTimeoutMs: 1000,
    });
    app.addHook('onSend', (_request, _reply, payload, done) => {
      order.push('sent');
      done(null, payload);
    });
    app.get<{ Params: { units: number } }>('/:units', async ({ params }) => 'x'.repeat(params.units));
    url = await app.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(() => app.close());

  it('a response of 1 MiB or more is sent in a turn of its own, before which others run', async () => {
    const response = await fetch(`${url}/${1024 * 1024}`);
    expect(await response.text()).toHaveLength(1024 * 1024);
    expect(order).toEqual(['others', 'sent']);
  });

  it('a smaller response is sent at once', async () => {
    await (await fetch(`${url}/100000`)).text();
    expect(order[0]).toBe('sent');
  });
});
