/** Every failure that a client can get: its status and when it happens. `docs/errors.md` is generated from this. */
export const errorCodes = {
  BODY_UNREADABLE: { status: 400, when: 'The body is not valid JSON, or its encoding cannot be read.' },
  REQUEST_INVALID: { status: 400, when: 'The request itself cannot be read: a bad URL, header or length.' },
  SCOPE_KEY_UNKNOWN: { status: 400, when: '`scope` names a key other than product, service, team or role.' },
  AUTHENTICATION_REQUIRED: {
    status: 401,
    when: 'No API key was sent, or it is unknown, expired or revoked.',
  },
  SCOPE_REQUIRED: {
    status: 403,
    when: 'The API key lacks the scope (read, write, admin or operator) that the call needs.',
  },
  ADDRESS_REFUSED: {
    status: 403,
    when: '`/metrics` answers this machine only, by the name localhost or a loopback address, unless `MEMORYD_METRICS_PUBLIC` is true; `/mcp` refuses web pages of other origins than this machine and `MEMORYD_CORS_ORIGINS` (docs/connect.md).',
  },
  ROUTE_NOT_FOUND: {
    status: 404,
    when: 'No endpoint has this path, or this service does not have what the operation is about (docs/clients.md).',
  },
  MEMORY_NOT_FOUND: { status: 404, when: 'The user has no memory with this id or name.' },
  CONVERSATION_NOT_FOUND: { status: 404, when: 'The user has no conversation with this id.' },
  TOPIC_NOT_FOUND: { status: 404, when: 'The user has no topic with this id or name.' },
  FACT_NOT_FOUND: { status: 404, when: 'The user has no fact with this id.' },
  ENTITY_NOT_FOUND: {
    status: 404,
    when: 'The user has no entity with this id, or no live memory mentions it.',
  },
  ARTIFACT_NOT_FOUND: { status: 404, when: 'The user has no artifact with this id.' },
  IMPORT_NOT_FOUND: { status: 404, when: 'The user has no import with this id.' },
  TRASH_ENTRY_NOT_FOUND: { status: 404, when: 'The trash of the user has no entry with this id.' },
  COMMUNITY_NOT_FOUND: { status: 404, when: 'The user has no community of topics with this id.' },
  PATTERN_NOT_FOUND: { status: 404, when: 'The user has no pattern with this id.' },
  GRAPH_QUERY_NOT_FOUND: {
    status: 404,
    when: 'The user has no query of the graph with this id, or it is older than 7 days.',
  },
  NARRATIVE_NOT_FOUND: { status: 404, when: 'The user has no narrative with this id.' },
  NARRATIVE_MEMORY_NOT_FOUND: { status: 404, when: 'The narrative holds no memory with this id.' },
  RELATIONSHIP_NOT_FOUND: { status: 404, when: 'The memory has no relationship with this id.' },
  CANDIDATE_NOT_FOUND: {
    status: 404,
    when: 'The user has no candidate or relationship with this id to decide on.',
  },
  JOB_NOT_FOUND: { status: 404, when: 'The user has no job with this id: it never was, or it is done.' },
  TOPIC_MERGE_NOT_FOUND: { status: 404, when: 'No merge of topics with this id stands.' },
  WEBHOOK_NOT_FOUND: { status: 404, when: 'The user has no webhook with this id.' },
  DELIVERY_NOT_FOUND: { status: 404, when: 'The webhook has no delivery with this id.' },
  GRANT_NOT_FOUND: { status: 404, when: 'No client has a grant with this id from the user.' },
  API_KEY_NOT_FOUND: { status: 404, when: 'The user has no API key with this id.' },
  USER_NOT_FOUND: { status: 404, when: 'There is no user with this name (for the operator only).' },
  MCP_SESSION_NOT_FOUND: {
    status: 404,
    when: '`Mcp-Session-Id` is no id that this service gives: initialize again.',
  },
  METHOD_NOT_ALLOWED: {
    status: 405,
    when: 'The path exists, but not for this method; `Allow` lists those it has.',
  },
  MEMORY_NAME_CONFLICT: { status: 409, when: 'Another memory of the user has this name.' },
  RELATIONSHIP_EXISTS: {
    status: 409,
    when: 'The two memories have a relationship of this type already; `details.relationshipId` is its id.',
  },
  RELATIONSHIP_DELETED: {
    status: 409,
    when: 'Sent with an `importId`: the two memories had this relationship, and it was deleted here.',
  },
  RELATIONSHIP_CYCLE: {
    status: 409,
    when: 'A memory would supersede itself through others; `details.path` names them in order.',
  },
  RELATIONSHIPS_TOO_MANY: {
    status: 409,
    when: 'So many memories supersede each other around these two that a circle cannot be ruled out.',
  },
  WEBHOOKS_TOO_MANY: { status: 409, when: 'The user has as many webhooks as a user may have.' },
  MEMORY_HEAD_CONFLICT: {
    status: 409,
    when: '`expectedHeadId` is not the current head of the named memory; `details.currentHeadId` is.',
  },
  MEMORY_IN_TRASH: {
    status: 409,
    when: 'A memory with the `externalId` is in the trash; `details.memoryId` is its id. Restore it, or erase it.',
  },
  CONVERSATION_IN_TRASH: {
    status: 409,
    when: 'A conversation with the `externalId` is in the trash; `details.conversationId` is its id. Restore it, or erase it.',
  },
  FACT_IN_TRASH: {
    status: 409,
    when: 'A fact with the `externalId` is in the trash, or all of its memories are; `details.factId` is its id.',
  },
  ARTIFACT_IN_TRASH: {
    status: 409,
    when: 'An artifact with the `externalId` is in the trash, or its memory or conversation is; `details.artifactId` is its id.',
  },
  OWNER_IN_TRASH: {
    status: 409,
    when: 'The memory or conversation of the record to be restored is in the trash; `details.trashEntryIds` are what to restore first.',
  },
  USER_NOT_EMPTY: { status: 409, when: 'The user to import into has records already (command line only).' },
  USER_NAME_CONFLICT: {
    status: 409,
    when: 'There is already a user with this name, or one whose removal did not finish (for the operator only).',
  },
  API_KEY_SHOWN_BEFORE: {
    status: 409,
    when: 'An earlier request with this `Idempotency-Key` made an API key; its secret was in that response only. `details.id` is the key: revoke it and make another, with another `Idempotency-Key`.',
  },
  STORAGE_READ_ONLY: {
    status: 409,
    when: 'The service was started with `--read-only` and this changes something: send it to the service that writes.',
  },
  EDIT_CONFLICT: {
    status: 412,
    when: '`If-Match` names a version of the record that is no longer the current one.',
  },
  BODY_TOO_LARGE: { status: 413, when: 'The body is larger than the configured limit.' },
  CONTENT_TOO_LONG: {
    status: 413,
    when: 'A memory would become longer than 50,000 characters, or a commit is too large; `error` says what and how much.',
  },
  STATE_TOO_LARGE: { status: 413, when: 'The behaviour state would be larger than 64 KiB as JSON.' },
  MEDIA_TYPE_UNSUPPORTED: { status: 415, when: 'The body is not sent as application/json.' },
  INPUT_INVALID: { status: 422, when: 'A field breaks a rule; `error` names the field and the rule.' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, when: 'The `Idempotency-Key` was used before with another body.' },
  CHANGES_EXPIRED: {
    status: 410,
    when: 'Changes after the cursor `since` or `Last-Event-ID` are no longer kept: read the records again (docs/clients.md).',
  },
  RATE_LIMITED: {
    status: 429,
    when: 'Too many failed authentications from this address, or more requests than the key may make in a minute; try again after `retryAfter`.',
  },
  HEADERS_TOO_LARGE: { status: 431, when: 'The request headers are larger than the server reads.' },
  INTERNAL: { status: 500, when: 'A fault of the server; `requestId` finds it in the log.' },
  STORAGE_FULL: {
    status: 503,
    when: 'The disk is full: reads go on, writes answer this until there is room.',
  },
  STORAGE_UNAVAILABLE: {
    status: 503,
    when: 'The store cannot be reached or is busy; try again after `retryAfter`.',
  },
  OVERLOADED: {
    status: 503,
    when: 'The server has more work than it can do in time; try again after `retryAfter`.',
  },
  SERVER_STOPPING: { status: 503, when: 'The server is being stopped; try again after `retryAfter`.' },
  DEADLINE_EXCEEDED: { status: 503, when: 'The request took longer than the configured handler timeout.' },
} as const satisfies Record<string, { status: number; when: string }>;

export type ErrorCode = keyof typeof errorCodes;
