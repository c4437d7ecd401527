/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes, and of the square roots of eight. */
function rootsOfPrimes(): { readonly rounds: Uint32Array; readonly start: Uint32Array } {
  const primes: number[] = [];
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
  const fraction = (root: number) => (root - Math.floor(root)) * 2 ** 32;
  return {
    rounds: Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
    start: Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
  };
}

const { rounds, start } = rootsOfPrimes();
const blockBytes = 64;
const turned = (word: number, by: number) => (word >>> by) | (word << (32 - by));

/** The text as UTF-8, a bit, zeros, and its length in bits. */
function padded(text: string): DataView {
  const bytes = new TextEncoder().encode(text);
  const whole = new Uint8Array(Math.ceil((bytes.length + 9) / blockBytes) * blockBytes);
  whole.set(bytes);
  whole[bytes.length] = 0x80;
  const view = new DataView(whole.buffer);
  view.setBigUint64(whole.length - 8, BigInt(bytes.length) * 8n);
  return view;
}

function addBlock(state: Uint32Array, words: Uint32Array): void {
  for (let i = 16; i < 64; i++) {
    const [near, far] = [words[i - 2], words[i - 15]];
    const first = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3);
    const second = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10);
    words[i] = words[i - 16] + first + words[i - 7] + second;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < 64; i++) {
    const choice = (e & f) ^ (~e & g);
    const most = (a & b) ^ (a & c) ^ (b & c);
    const one = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + choice + rounds[i] + words[i]) | 0;
    const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + most) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  for (const [i, word] of [a, b, c, d, e, f, g, h].entries()) state[i] += word;
}

/**
 * SHA-256 of a text in base64url. `crypto.subtle` is missing on a page that came over http from another machine.
 */
export function sha256(text: string): string {
  const view = padded(text);
  const state = start.slice();
  const words = new Uint32Array(64);
  for (let at = 0; at < view.byteLength; at += blockBytes) {
    for (let i = 0; i < 16; i++) words[i] = view.getUint32(at + i * 4);
    addBlock(state, words);
  }
  let digest = '';
  for (const word of state)
    digest += String.fromCharCode(word >>> 24, (word >>> 16) & 255, (word >>> 8) & 255, word & 255);
  return btoa(digest).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
