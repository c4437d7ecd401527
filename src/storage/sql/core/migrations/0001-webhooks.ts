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
];
