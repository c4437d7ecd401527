import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectAccessible, expectNoSidewaysScroll, hasBrowser, type Tab, useExplorer } from './browser.ts';

const hostile = '<img src=x onerror="document.title=1"><b>Bank</b> \u202eevil\u200b';

/** The callback of a client; what it was called with. */
async function newCallback() {
  const calls: URL[] = [];
  const server: Server = createServer((request, response) => {
    if (request.url?.startsWith('/callback')) calls.push(new URL(request.url, 'http://client.test'));
    response
      .setHeader('content-type', 'text/html')
      .end('<title>the client</title><link rel="icon" href="data:,">');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { calls, origin, redirect: `${origin}/callback`, close: () => server.close() };
}

describe.skipIf(!hasBrowser)('connectors in the browser', () => {
  const explorer = useExplorer({ hasConnectors: true });
  let callback: Awaited<ReturnType<typeof newCallback>>;
  let key: string;

  beforeAll(async () => {
    callback = await newCallback();
    key = await explorer.newKey(['read', 'write']);
  });
  afterAll(() => callback?.close());

  /** Registers a client. @returns the address that it sends the person to, and its way to tokens */
  async function newConnector(name: string) {
    const registered = await fetch(`${explorer.url}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: name, redirect_uris: [callback.redirect] }),
    });
    const { client_id: id } = (await registered.json()) as { client_id: string };
    const verifier = randomBytes(32).toString('base64url');
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: id,
      redirect_uri: callback.redirect,
      state: name.slice(0, 3),
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      resource: `${explorer.url}/mcp`,
      scope: 'read write',
    });
    const token = async () => {
      const code = callback.calls.at(-1)?.searchParams.get('code') ?? '';
      const response = await fetch(`${explorer.url}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          client_id: id,
          redirect_uri: callback.redirect,
          resource: `${explorer.url}/mcp`,
          code,
          code_verifier: verifier,
        }),
      });
      return (await response.json()) as { access_token: string; scope: string };
    };
    return { address: `${explorer.url}/oauth/authorize?${query}`, token };
  }

  async function listTools(token: string): Promise<number> {
    const response = await fetch(`${explorer.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    });
    return response.status;
  }

  const ownFaults = ({ faults }: Tab) => faults.filter((fault) => !fault.startsWith(callback.origin));

  it('a person allows a client by the keyboard alone, with the scopes left checked', async () => {
    const tab = await explorer.newTab();
    const { page } = tab;
    const { address, token } = await newConnector('Claude');
    const opened = await page.goto(address);
    expect(opened?.headers()['content-security-policy']).toBe(
      "default-src 'none'; style-src 'sha256-" +
        `${createHash('sha256')
          .update(await page.locator('style').innerHTML())
          .digest('base64')}'; ` +
        `img-src data:; base-uri 'none'; form-action 'self' ${callback.origin}; frame-ancestors 'none'`,
    );
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('key');
    await page.keyboard.type(key);
    await page.keyboard.press('Shift+Tab');
    expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).value)).toBe('write');
    await page.keyboard.press('Space');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${callback.origin}/**`);
    expect(callback.calls.at(-1)?.searchParams.get('state')).toBe('Cla');
    const { access_token: access, scope } = await token();
    expect(scope).toBe('read');
    expect(await listTools(access)).toBe(200);
    expect(ownFaults(tab)).toEqual([]);
    await tab.context.close();
  });

  it('a wrong key is told where the field is, and a person who says no gives nothing', async () => {
    const tab = await explorer.newTab({ viewport: { width: 390, height: 800 } });
    const { page } = tab;
    const { address } = await newConnector('ChatGPT');
    await page.goto(address);
    await page.getByLabel('Your API key').fill('cmk_live_0.0');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('alert').getByText('not a valid API key').waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('key');
    const field = page.getByLabel('Your API key');
    expect([await field.inputValue(), await field.getAttribute('aria-invalid')]).toEqual(['', 'true']);
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    await page.getByRole('button', { name: 'Deny' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${callback.origin}/**`);
    expect(callback.calls.at(-1)?.searchParams.get('error')).toBe('access_denied');
    expect(ownFaults(tab).filter((fault) => !fault.includes('status of 403'))).toEqual([]);
    await tab.context.close();
  });

  it.each(['light', 'dark'] as const)('fits a narrow window, accessible, in the %s', async (colorScheme) => {
    const tab = await explorer.newTab({ viewport: { width: 390, height: 800 }, colorScheme });
    const { page } = tab;
    const long = await newConnector('x'.repeat(400));
    for (const { address } of [await newConnector(hostile), long]) {
      await page.goto(address);
      await expectAccessible(page);
      await expectNoSidewaysScroll(page);
    }
    await page.goto((await newConnector(hostile)).address);
    expect(await page.locator('h1').textContent()).toBe(
      'Connect “<img src=x onerror="document.title=1"><b>Bank</b> evil” to your memories?',
    );
    expect(await page.title()).toBe('memoryd: connect a client');
    const shades = await page.evaluate(() => {
      const canvas = document.createElement('canvas').getContext('2d');
      if (!canvas) return 0;
      canvas.fillStyle = getComputedStyle(document.querySelector('h1') ?? document.body).color;
      return Number.parseInt(canvas.fillStyle.slice(1, 3), 16);
    });
    expect(shades > 128).toBe(colorScheme === 'dark');
    // The page of another browser has expired here.
    const consent = page.url();
    await page.context().clearCookies();
    await page.goto(consent);
    await page.getByRole('heading', { name: 'The client was not connected' }).waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    expect(tab.faults.filter((fault) => !fault.includes('status of 400'))).toEqual([]);
    await tab.context.close();
  });

  it('the explorer lists connected clients for a key with the scope admin, and ends one after asking', async () => {
    const tab = await explorer.newTab({ viewport: { width: 390, height: 800 } });
    const { page } = tab;
    const { address, token } = await newConnector(hostile);
    await page.goto(address);
    await page.getByLabel('Your API key').fill(key);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${callback.origin}/**`);
    const { access_token: access } = await token();
    await explorer.open(tab, 'service');
    await page.getByLabel(/connected clients/).fill(await explorer.newKey(['read', 'write']));
    await page.getByRole('button', { name: 'Show keys and clients' }).click();
    await page.locator('.notice', { hasText: 'admin' }).waitFor();
    expect(await page.getByRole('button', { name: /^End/ }).count()).toBe(0);
    await page.getByLabel(/connected clients/).fill(await explorer.newKey(['read', 'admin']));
    await page.keyboard.press('Enter');
    const clients = page.getByRole('list', { name: 'Connected clients' });
    const row = clients.locator('li', { hasText: 'Bank' });
    await row.getByText('<img src=x onerror="document.title=1"><b>Bank</b>').waitFor();
    expect(await row.getByText('U+202E').count()).toBe(1);
    expect(await clients.locator('img, b').count()).toBe(0);
    await row.getByText(/read, write, since .*, ends .*given with the key/).waitFor();
    await expectAccessible(page);
    await expectNoSidewaysScroll(page);
    const end = row.getByRole('button', { name: /^End/ });
    const asked: string[] = [];
    page.once('dialog', (dialog) => {
      asked.push(dialog.message());
      void dialog.dismiss();
    });
    await end.focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => asked.length).toBe(1);
    expect(asked[0]).toContain('must ask again');
    expect(await listTools(access)).toBe(200);
    page.once('dialog', (dialog) => void dialog.accept());
    await page.keyboard.press('Enter');
    await page.locator('.notice', { hasText: 'has no access any more' }).waitFor();
    expect(await row.count()).toBe(0);
    expect(await listTools(access)).toBe(401);
    expect(ownFaults(tab).filter((fault) => !fault.includes('status of 403'))).toEqual([]);
    await tab.context.close();
  });

  it('a key is ended after asking, too', async () => {
    const tab = await explorer.newTab();
    const { page } = tab;
    const made = await explorer.call<{ data: { apiKey: string } }>('POST', '/api/apikeys', {
      label: 'old laptop',
    });
    await explorer.open(tab, 'service');
    await page.getByLabel(/connected clients/).fill(explorer.server.key);
    await page.keyboard.press('Enter');
    page.once('dialog', (dialog) => void dialog.accept());
    await page.getByRole('button', { name: 'End old laptop' }).click();
    await page.locator('.notice', { hasText: 'The key was ended.' }).waitFor();
    const { status } = await explorer.call('GET', '/api/memories', undefined, made.body.data.apiKey);
    expect(status).toBe(401);
    expect(tab.faults).toEqual([]);
    await tab.context.close();
  });
});

describe.skipIf(!hasBrowser)('the explorer of a service without connectors', () => {
  const explorer = useExplorer();

  it('shows keys, and nothing of clients', async () => {
    const tab = await explorer.newTab();
    await explorer.open(tab, 'service');
    await tab.page.getByLabel('To see and end keys, give').fill(explorer.server.key);
    await tab.page.getByRole('button', { name: 'Show keys' }).click();
    await tab.page.getByRole('list', { name: 'API keys' }).waitFor();
    expect(await tab.page.getByText('Connected clients').count()).toBe(0);
    expect(tab.faults).toEqual([]);
  });
});
