import { createHash } from 'node:crypto';

const digestBytes = 6;
const modulus = 2 ** (8 * digestBytes);

/** 48 bits of SHA-256 over an item's number and text: sums of them stay exact integers. */
export function digestOf(number: number, text: string | Uint8Array): number {
  return createHash('sha256').update(`${number}:`).update(text).digest().readUIntBE(0, digestBytes);
}

/** Digest of several items, in whatever order they are added. */
export function addDigests(a: number, b: number): number {
  return (a + b) % modulus;
}
