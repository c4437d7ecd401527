import { sha256 as hashOf } from '@noble/hashes/sha2.js';

/** SHA-256 of a text in base64url. `crypto.subtle` is missing on a page that came over http from another machine. */
export function sha256(text: string): string {
  const digest = hashOf(new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...digest))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}
