/**
 * Operations that clients of this API know (the public SDK, its CLI) and this service
 * does not serve, by missing feature. Without this list the last word of some would
 * be read as an id. docs/clients.md shows them; a test compares both with the SDK.
 */
const unserved: Readonly<Record<string, readonly string[]>> = {
  'recommendations of practices': [
    'POST /api/patterns/recommendations',
    'GET /api/patterns/recommendations/active',
    'POST /api/patterns/recommendations/match',
    'GET /api/patterns/recommendations/pending',
    'PATCH /api/patterns/recommendations/{id}/approve',
    'PATCH /api/patterns/recommendations/{id}/dismiss',
    'PATCH /api/patterns/recommendations/{id}/pause',
  ],
  'alerts of an operator': [
    'GET /api/alerts/active',
    'GET /api/admin/alerts',
    'POST /api/admin/alerts',
    'GET /api/admin/alerts/{id}',
    'PATCH /api/admin/alerts/{id}',
    'DELETE /api/admin/alerts/{id}',
  ],
  invitations: [
    'GET /api/admin/gate',
    'POST /api/admin/gate',
    'GET /api/admin/invites',
    'POST /api/admin/invites',
    'GET /api/admin/invites/stats',
    'GET /api/admin/invites/{code}',
    'DELETE /api/admin/invites/{code}',
    'GET /api/invites/gate-status',
    'POST /api/invites/validate',
  ],
  billing: [
    'GET /api/billing/overview',
    'POST /api/billing/checkout',
    'POST /api/billing/portal',
    'GET /api/billing/invoices',
    'GET /api/billing/payment-methods',
    'POST /api/billing/payment-methods/{id}/default',
    'DELETE /api/billing/payment-methods/{id}',
    'GET /api/billing/subscription',
    'POST /api/billing/subscription/cancel',
    'POST /api/billing/subscription/reactivate',
    'POST /api/billing/webhooks',
  ],
  'accounts that change over HTTP': [
    'PATCH /api/users/me',
    'POST /api/users/me/deletion',
    'DELETE /api/users/me/deletion',
    'POST /api/users/sync',
    'GET /api/users/{id}',
  ],
  'administration over HTTP': [
    'GET /api/admin/memories/{id}/pipeline-status',
    'POST /api/admin/memories/{id}/rerun',
    'GET /api/admin/pipeline/health',
    'POST /api/admin/migrate/encryption-backfill',
    'POST /api/admin/migrate/per-stage-status',
  ],
  'mail to its makers': ['POST /api/feedback'],
};

/** An operation, such as `POST /api/patterns/detect`, and the feature that the service would need for it. */
export interface UnservedOperation {
  readonly operation: string;
  readonly lacking: string;
}

export const unservedOperations: readonly UnservedOperation[] = Object.entries(unserved).flatMap(
  ([lacking, operations]) => operations.map((operation) => ({ operation, lacking })),
);

const isFixed = ({ operation }: UnservedOperation) => !operation.includes('{');
const fixed = new Map(unservedOperations.filter(isFixed).map((each) => [each.operation, each]));
const patterns = unservedOperations
  .filter((each) => !isFixed(each))
  .map((each) => ({ each, pattern: new RegExp(`^${each.operation.replace(/\{\w+\}/g, '[^/]+')}$`) }));

/**
 * Whether the router may have read the last word of an unserved
 * operation as an id; cheap, for it runs on every request.
 */
export function isUnservedWord(method: string, path: string): boolean {
  return fixed.has(`${method} ${path}`);
}

/**
 * The unserved operation that a request without an endpoint
 * asks for; undefined if clients know none of this path.
 */
export function unservedOperation(method: string, path: string): UnservedOperation | undefined {
  const asked = `${method} ${path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path}`;
  return fixed.get(asked) ?? patterns.find(({ pattern }) => pattern.test(asked))?.each;
}
