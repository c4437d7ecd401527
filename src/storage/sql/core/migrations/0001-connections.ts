import type { ColumnTypes } from '../migrate.ts';

/** Addresses to which changes of users are sent, and the messages to them. */
export const webhookTables = ({ text, integer, user }: ColumnTypes) => [
  `CREATE TABLE webhooks (
    user_id ${user},
    id ${text} NOT NULL,
    url ${text} NOT NULL,
    label ${text} NOT NULL,
    secret ${text} NOT NULL,
    kinds ${text},
    actions ${text},
    created_at ${integer} NOT NULL,
    rev ${integer} NOT NULL,
    part ${integer} NOT NULL,
    due_at ${integer},
    leased_until ${integer} NOT NULL,
    PRIMARY KEY (user_id, id)
  )`,
  `CREATE TABLE webhook_deliveries (
    user_id ${user},
    id ${text} NOT NULL,
    webhook_id ${text} NOT NULL,
    state ${text} NOT NULL,
    body ${text} NOT NULL,
    attempts ${integer} NOT NULL,
    due_at ${integer} NOT NULL,
    last_status ${integer},
    last_error ${text},
    created_at ${integer} NOT NULL,
    updated_at ${integer} NOT NULL,
    PRIMARY KEY (user_id, id),
    FOREIGN KEY (user_id, webhook_id) REFERENCES webhooks (user_id, id) ON DELETE CASCADE
  )`,
  'CREATE INDEX webhook_deliveries_by_webhook ON webhook_deliveries (user_id, webhook_id, state, created_at)',
  "CREATE INDEX webhook_deliveries_open ON webhook_deliveries (user_id, state, created_at) WHERE state <> 'delivered'",
];

/** Records of the authorization server: clients, grants, codes, tokens. What a key was given for goes with the key. */
export const oauthTables = ({ text, integer }: ColumnTypes) => [
  `CREATE TABLE oauth_records (
    model ${text} NOT NULL,
    id ${text} NOT NULL,
    payload ${text} NOT NULL,
    grant_id ${text},
    key_id ${text} REFERENCES api_keys (id) ON DELETE CASCADE,
    created_at ${integer} NOT NULL,
    expires_at ${integer} NOT NULL,
    consumed_at ${integer},
    PRIMARY KEY (model, id)
  )`,
  'CREATE INDEX oauth_records_by_expiry ON oauth_records (expires_at)',
  'CREATE INDEX oauth_records_by_grant ON oauth_records (grant_id) WHERE grant_id IS NOT NULL',
  'CREATE INDEX oauth_records_by_key ON oauth_records (key_id) WHERE key_id IS NOT NULL',
];
