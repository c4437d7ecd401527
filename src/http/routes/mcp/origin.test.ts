import type { FastifyRequest } from 'fastify';
import { describe, expect, it } from 'vitest';
import { type OriginOptions, originCheck } from './mcp.ts';

const alone: OriginOptions = { host: '127.0.0.1', corsOrigins: [], trustedProxies: [] };

function refusalOf(options: OriginOptions, headers: { readonly origin?: string; readonly host?: string }) {
  try {
    originCheck(options)({ headers } as FastifyRequest);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('the origin of requests to /mcp', () => {
  it('the origin of requests to /mcp may be none, this machine, or one that is configured', () => {
    const host = 'localhost:3000';
    const configured = { ...alone, corsOrigins: ['https://app.example.com'] };
    for (const origin of [undefined, 'http://localhost:5173', 'http://127.0.0.1', 'http://[::1]:80'])
      expect(refusalOf(alone, { origin, host })).toBeUndefined();
    expect(refusalOf(configured, { origin: 'https://app.example.com', host })).toBeUndefined();
    expect(
      refusalOf({ ...alone, corsOrigins: ['*'] }, { origin: 'https://any.example', host }),
    ).toBeUndefined();
    for (const origin of [
      'https://evil.example',
      'null',
      'http://localhost.evil.example',
      'http://app.example.com',
    ])
      expect(refusalOf(configured, { origin, host })).toBe(
        `Origin "${origin}" may not use /mcp. MEMORYD_CORS_ORIGINS names the origins of pages that may.`,
      );
  });

  it('a service that listens on its machine alone is asked by the names of this machine, unless it has a proxy', () => {
    for (const host of ['localhost:3000', '127.0.0.1:3000', '[::1]:3000', 'LOCALHOST'])
      expect(refusalOf(alone, { host })).toBeUndefined();
    for (const host of ['evil.example:3000', 'memory.example.com', '10.0.0.1'])
      expect(refusalOf(alone, { host })).toContain(`Host "${host}" may not use /mcp.`);
    const host = 'memory.example.com';
    expect(refusalOf({ ...alone, trustedProxies: ['127.0.0.1'] }, { host })).toBeUndefined();
    expect(refusalOf({ ...alone, host: '0.0.0.0' }, { host })).toBeUndefined();
    expect(refusalOf({ ...alone, corsOrigins: ['https://memory.example.com'] }, { host })).toBeUndefined();
    expect(refusalOf({ ...alone, host: '::1' }, { host })).toBeDefined();
  });
});
