import { InvalidArgumentError } from 'commander';

/** Parses an option that is a number from 0 to 1. */
export function share(text: string): number {
  const value = Number(text);
  if (/^(\d+\.?\d*|\.\d+)$/.test(text) && value <= 1) return value;
  throw new InvalidArgumentError('It must be a number from 0 to 1.');
}
