import { PassThrough } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import Fastify from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ActiveRequests } from '../../lib/throttle.ts';
import { StoreStates } from '../errors.ts';
import { deadline, requestLifetime } from './request-lifetime.ts';

const handlerTimeoutMs = 40;

describe('the deadline of requests', () => {
  let app: FastifyInstance;
  let url: string;
  let body: PassThrough;
  beforeEach(async () => {
    body = new PassThrough();
    app = Fastify();
    app.decorate('storeStates', new StoreStates());
    await app.register(requestLifetime, { requests: new ActiveRequests() });
    await app.register(deadline, { handlerTimeoutMs });
    app.get('/compressed', (_request, reply) => reply.header('content-encoding', 'gzip').send(body));
    app.get('/late', () => new Promise<string>(() => {}));
    url = await app.listen({ port: 0, host: '127.0.0.1' });
  });
  afterEach(() => app.close());

  it('a response whose first bytes are late stays what it is, for its encoding is said', async () => {
    const began = fetch(`${url}/compressed`);
    // The deadline of the first request has passed: this later one is refused already.
    expect((await fetch(`${url}/late`)).status).toBe(503);
    body.end(gzipSync('whole'));
    const response = await began;
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('whole');
  });
});
