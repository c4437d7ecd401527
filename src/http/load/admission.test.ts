import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import Fastify from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ActiveRequests } from '../../lib/throttle.ts';
import { admission } from './admission.ts';
import { requestLifetime } from './request-lifetime.ts';
import { unreadResponses } from './unread-responses.ts';

const user = { id: 1, publicId: 'user', name: 'user' };

describe('requests of a user that are counted', () => {
  let app: FastifyInstance;
  let port: number;
  /** Delays the first request, as reading the stored response of its key does. */
  let admit: (() => void) | undefined;
  let came: Promise<void>;
  let closed: Promise<void>;
  beforeEach(async () => {
    app = Fastify();
    let hasCome: () => void;
    let hasClosed: () => void;
    came = new Promise((resolve) => {
      hasCome = resolve;
    });
    closed = new Promise((resolve) => {
      hasClosed = resolve;
    });
    admit = undefined;
    app.decorateRequest('user');
    await app.register(requestLifetime, { requests: new ActiveRequests() });
    app.addHook('onRequest', (request, reply, done) => {
      request.user = user;
      if (request.url !== '/left') return done();
      admit = done;
      reply.raw.once('close', () => hasClosed());
      hasCome();
    });
    await app.register(unreadResponses, {
      unreadResponsesMb: 8,
      unreadResponsesPerUserMb: 8,
      responseTimeoutMs: 1000,
    });
    await app.register(admission, { requestsInFlightMax: 8, requestsInFlightPerUserMax: 1 });
    for (const path of ['/left', '/next']) app.get(path, async () => 'answered');
    port = Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port);
  });
  afterEach(() => app.close());

  it('a request whose client left while its key was looked up takes no place of the next ones', async () => {
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /left HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await came;
    socket.destroy();
    await closed;
    admit?.();
    expect((await fetch(`http://127.0.0.1:${port}/next`)).status).toBe(200);
  });
});

describe('a late event loop', () => {
  it('a late event loop refuses the user whose requests take it, and answers another', async () => {
    const app = Fastify();
    app.decorateRequest('user');
    app.decorateRequest('isLoopLate', true);
    await app.register(requestLifetime, { requests: new ActiveRequests() });
    app.addHook('onRequest', (request, _reply, done) => {
      request.user = { ...user, id: Number(request.headers['x-user']) };
      done();
    });
    await app.register(unreadResponses, {
      unreadResponsesMb: 8,
      unreadResponsesPerUserMb: 8,
      responseTimeoutMs: 1000,
    });
    await app.register(admission, { requestsInFlightMax: 8, requestsInFlightPerUserMax: 8 });
    app.get('/dear', async (request) => {
      await nextTurn();
      request.running?.charge(2000);
      return 'answered';
    });
    app.get('/light', async () => 'answered');
    const statusOf = async (path: string, id: string) =>
      (await app.inject({ path, headers: { 'x-user': id } })).statusCode;
    expect([await statusOf('/dear', '1'), await statusOf('/light', '2')]).toEqual([200, 200]);
    expect([await statusOf('/dear', '1'), await statusOf('/light', '2')]).toEqual([503, 200]);
    await app.close();
  });
});
