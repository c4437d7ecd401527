/**
 * Operations that clients of this API know (the public SDK, its CLI) and this version does not serve. Without this list
 * some would be answered as if their last word were an id. docs/clients.md shows them; a test compares both with the SDK.
 */
const unserved: readonly string[] = [
  'GET /api/patterns',
  'POST /api/patterns/analyze',
  'GET /api/patterns/behavior/state',
  'POST /api/patterns/behavior/state',
  'POST /api/patterns/compile',
  'POST /api/patterns/compile-instructions',
  'POST /api/patterns/detect',
  'POST /api/patterns/feedback',
  'POST /api/patterns/recommendations',
  'GET /api/patterns/recommendations/active',
  'POST /api/patterns/recommendations/match',
  'GET /api/patterns/recommendations/pending',
  'PATCH /api/patterns/recommendations/{id}/approve',
  'PATCH /api/patterns/recommendations/{id}/dismiss',
  'PATCH /api/patterns/recommendations/{id}/pause',
  'PATCH /api/patterns/{id}',
];

const fixed = new Set(unserved.filter((operation) => !operation.includes('{')));
const patterns = unserved
  .filter((operation) => operation.includes('{'))
  .map((operation) => ({ operation, pattern: new RegExp(`^${operation.replace(/\{\w+\}/g, '[^/]+')}$`) }));

/** Whether the router may have taken the last word of such an operation for an id; cheap, for every request asks. */
export function isUnservedWord(method: string, path: string): boolean {
  return fixed.has(`${method} ${path}`);
}

/** The name of the operation, `POST /api/patterns/detect`, where a request asks for one that is not served. */
export function unservedOperation(method: string, path: string): string | undefined {
  const asked = `${method} ${path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path}`;
  return fixed.has(asked) ? asked : patterns.find(({ pattern }) => pattern.test(asked))?.operation;
}
