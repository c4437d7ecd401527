import type { ApiRequest } from '../api/client.ts';

export const kinds = ['digest', 'context', 'instructions', 'patterns'] as const;
export type Kind = (typeof kinds)[number];
export type MadeKind = Exclude<Kind, 'patterns'>;

export const formats = ['structured', 'narrative', 'timeline', 'status-report'] as const;

/** Tokens as the service takes them. */
export const budgets: Readonly<
  Record<MadeKind, { readonly min: number; readonly max: number; readonly usual: number }>
> = {
  digest: { min: 50, max: 32_000, usual: 800 },
  context: { min: 200, max: 32_000, usual: 1200 },
  instructions: { min: 50, max: 2000, usual: 200 },
};

type Address = Readonly<Record<string, string | undefined>>;

export const kindIn = ({ kind }: Address): Kind => kinds.find((one) => one === kind) ?? 'digest';

export function budgetIn({ budget }: Address, kind: MadeKind): number {
  const { min, max, usual } = budgets[kind];
  const asked = Number(budget);
  return budget && Number.isFinite(asked) ? Math.min(max, Math.max(min, Math.round(asked))) : usual;
}

const filesIn = ({ files = '' }: Address) =>
  files
    .split('\n')
    .map((file) => file.trim())
    .filter((file) => file !== '');

/** The request that an address stands for; undefined if it asks nothing yet. */
export function requestOf(address: Address, kind: MadeKind): ApiRequest | undefined {
  const query = address.q?.trim() ?? '';
  const files = filesIn(address);
  const tokenBudget = budgetIn(address, kind);
  const withFiles = files.length > 0 && { files };
  if (kind === 'instructions')
    return query === '' && files.length === 0
      ? undefined
      : {
          method: 'POST',
          path: '/api/patterns/compile-instructions',
          body: { ...(query !== '' && { currentQuery: query }), ...withFiles, tokenBudget },
        };
  if (query === '') return undefined;
  if (kind === 'context')
    return {
      method: 'POST',
      path: '/api/memories/build-context',
      body: { context: query, ...withFiles, tokenBudget },
    };
  const format = formats.find((one) => one === address.format);
  return {
    method: 'POST',
    path: '/api/memories/digest/stream',
    body: { query, tokenBudget, ...(format && { format }) },
  };
}
