import { createHash } from 'node:crypto';
import type { KeyScope } from '../../domain/api-keys/api-key.ts';

const style = `
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 28rem; margin: 3rem auto; padding: 0 1rem; }
h1 { font-size: 1.3rem; overflow-wrap: anywhere; }
label, fieldset { display: block; margin: 1rem 0; }
fieldset { border: 1px solid #8888; border-radius: 6px; }
fieldset label { margin: .3rem 0; }
input[type=password] { box-sizing: border-box; width: 100%; font: inherit; padding: .5rem; }
button { font: inherit; padding: .5rem 1.2rem; margin-right: .5rem; }
.host { overflow-wrap: anywhere; font-family: ui-monospace, monospace; }
[role=alert] { border-left: 4px solid #c33; padding-left: .8rem; }
`;
const styleHash = createHash('sha256').update(style).digest('base64');

/** An origin or scheme that can stand in a policy as it is. */
const plainSource = /^(?:https?:\/\/[\w.-]+(?::\d+)?|[a-z][a-z0-9+.-]*:)$/i;

function sourceOf(redirect: string): string {
  const { origin, protocol } = new URL(redirect);
  return origin === 'null' || origin.includes('[') ? protocol : origin;
}

/**
 * No script, no frame, no other address; the one style is inline. @param redirect the checked address of the client:
 * browsers hold the redirect after a form against `form-action`, too
 */
export function pageHeaders(redirect?: string): Readonly<Record<string, string>> {
  const source = redirect === undefined ? '' : sourceOf(redirect);
  const action = plainSource.test(source) ? `'self' ${source}` : "'self'";
  return {
    'Content-Security-Policy':
      `default-src 'none'; style-src 'sha256-${styleHash}'; img-src data:; base-uri 'none'; ` +
      `form-action ${action}; frame-ancestors 'none'`,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cache-Control': 'no-store',
  };
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const nameLengthMax = 100;

/** A text of a stranger, without markup and without characters that reverse or hide other text. */
function plain(text: string): string {
  const visible = text.replace(/[\p{Cc}\p{Cf}]/gu, '').slice(0, nameLengthMax);
  return visible.replace(/[&<>"']/g, (sign) => entities[sign]);
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

export function failurePage(reason: string): string {
  return page(
    'memoryd: not connected',
    `<h1>The client was not connected</h1>
<p role="alert">${plain(reason)}</p>
<p>Close this page and begin again in the client.</p>`,
  );
}

export interface ConsentRequest {
  readonly clientName: string;
  /** Redirect address of the client. */
  readonly redirect: string;
  readonly scopes: readonly KeyScope[];
  /** Why the last try failed. */
  readonly problem?: string;
}

const scopeTexts: Partial<Record<KeyScope, string>> = {
  read: 'Find and read memories',
  write: 'Store, change and delete memories',
};

/** One screen: who asks, for what, the key, the decision. */
export function consentPage({ clientName, redirect, scopes, problem }: ConsentRequest): string {
  const boxes = scopes.map(
    (scope) =>
      `<label><input type="checkbox" name="scope" value="${scope}" checked> ${scopeTexts[scope] ?? scope}</label>`,
  );
  return page(
    'memoryd: connect a client',
    `<h1>Connect “${plain(clientName)}” to your memories?</h1>
<p>After this page it is reached at <span class="host">${plain(sourceOf(redirect))}</span>. Allow only what you began yourself.</p>
${problem === undefined ? '' : `<p role="alert" id="problem">${plain(problem)}</p>`}
<form method="post">
<fieldset><legend>It may</legend>
${boxes.join('\n')}
</fieldset>
<label>Your API key
<input type="password" name="key" autocomplete="off" autofocus${problem === undefined ? '' : ' aria-invalid="true" aria-describedby="problem"'}></label>
<p>The client does not get the key. Revoke the key, and the connection ends at once.</p>
<button name="decision" value="allow">Allow</button>
<button name="decision" value="deny">Deny</button>
</form>`,
  );
}
