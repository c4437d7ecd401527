import { describe, expect, it } from 'vitest';
import { version } from '../../src/lib/version.ts';
import { sendRaw } from '../support/raw-request.ts';
import { useApp } from '../support/use-app.ts';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('GET /', () => {
  const app = useApp('sqlite');

  const ask = (accept: string, path = '/') => fetch(app.url + path, { headers: { accept } });

  it('the home page shows a browser a page with the version and ways on, each of which leads somewhere', async () => {
    const response = await ask(browser);
    const page = await response.text();
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    expect(page).toContain(`version ${version}`);
    expect(page).toContain('first-key');
    const { host, port } = new URL(app.url);
    expect(page).toContain(`curl -s ${host}/api/memories`);
    const headers = { accept: browser, host: '"><script>' };
    const forged = (await sendRaw(app.url, { method: 'GET', path: '/', headers })).text;
    expect(forged).toContain(`curl -s localhost:${port}/api/memories`);
    expect(forged).not.toContain('script>');
    const links = [...page.matchAll(/<a href="([^"]+)"/g)].map(([, link]) => link);
    expect(links).toEqual(expect.arrayContaining(['/docs', '/health']));
    for (const link of links) expect([link, (await ask(browser, link)).status]).toEqual([link, 200]);
  });

  it('the home page loads nothing from anywhere and runs no script', async () => {
    const response = await ask(browser);
    const page = await response.text();
    const policy = response.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(/^default-src 'none'; style-src 'sha256-/);
    expect(policy).not.toMatch(/https?:|unsafe-inline|upgrade-insecure-requests/);
    expect(page).not.toMatch(/<script|https?:\/\/|@import|url\(|\son\w+=/);
  });

  it('the home page returns other clients the same as JSON', async () => {
    for (const accept of ['*/*', 'application/json']) {
      const response = await ask(accept);
      expect([accept, response.status, await response.json()]).toEqual([
        accept,
        200,
        expect.objectContaining({
          name: 'memoryd',
          version,
          links: expect.objectContaining({ docs: '/docs', mcp: '/mcp' }),
        }),
      ]);
    }
  });

  it('the home page says the same with a key and without, before and after users and memories are there', async () => {
    const before = await (await ask(browser)).text();
    const http = await app.newClient();
    await http.post('/api/memories', { content: 'a secret of one user' });
    const withKey = await http.get('/', { accept: browser });
    expect([withKey.status, withKey.text]).toEqual([200, before]);
  });

  it('the home page leaves other paths to be not found, in JSON', async () => {
    const response = await ask(browser, '/nope');
    expect([response.status, await response.json()]).toEqual([
      404,
      expect.objectContaining({ code: 'ROUTE_NOT_FOUND' }),
    ]);
  });
});
