import { describe, expect, it } from 'vitest';
import { hideSecrets } from './hide-secrets.ts';

const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.c2lnbmF0dXJl';

describe('what looks like a secret', () => {
  it.each([
    ['a key of a payment service', 'use sk_live_51Hx9Yz2aBcDeFgH now', 'use [hidden] now'],
    ['a token of GitHub', 'ghp_16C7e42F292c6912E7710c838347Ae17', '[hidden]'],
    ['a signed token', `it is ${token}.`, 'it is [hidden].'],
    ['a signed token behind other signs', `key-${token}`, 'key-[hidden]'],
    [
      'a signed token behind other runs',
      `long-name-of-it.another-long-name.${token}`,
      'long-name-of-it.another-long-name.[hidden]',
    ],
    ['a password', 'password: hunter2hunter2', 'password: [hidden]'],
    ['a password in an address', 'postgres://me:s3cret@host/db', 'postgres://me:[hidden]@host/db'],
    ['a private key', '-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----', '[hidden]'],
  ])('what looks like a secret is hidden: %s', (_, text, shown) => {
    expect(hideSecrets(text)).toBe(shown);
  });

  it('what does not look like a secret stays', () => {
    for (const text of ['The key is under the mat.', 'eyJ is how it begins', 'a.b.c', 'risk-averse people'])
      expect(hideSecrets(text)).toBe(text);
  });

  it.each([
    'eyJ-',
    'eyJ',
    'eyJaaaaaaaaaaa.',
    'a-',
    'a.',
    'sk-',
    'sk-1',
    'Bearer ',
    '-----BEGIN A',
    '://a:',
    'token=',
  ])('what looks like a secret is looked for in linear time: %s repeated', (atom) => {
    // A quadratic look takes minutes.
    expect(hideSecrets(atom.repeat(500_000 / atom.length))).not.toBe('');
  });
});
