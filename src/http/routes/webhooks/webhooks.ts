import type { Static } from 'typebox';
import { changeActions, changeKinds } from '../../../domain/changes/change.ts';
import { pageLimitDefault } from '../../../domain/shared/page.ts';
import { toIso } from '../../../domain/shared/time.ts';
import {
  changesPerDelivery,
  deliveriesKept,
  deliveryStates,
  retryWaitsMs,
  type Webhook,
  type WebhookDelivery,
  webhookLengthMax,
  webhooksMax,
} from '../../../domain/webhooks/webhook.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { component } from '../../schemas/component.ts';
import { dataOf, noContent, pageOf } from '../../schemas/envelope.ts';
import { toListPage, toPagination } from '../../schemas/pagination.ts';
import { cursorQuery, idParams, limitUpTo, oneOf, recordId } from '../../schemas/query.ts';
import { sampleIds } from '../../schemas/samples.ts';
import { ChangeAction, ChangeKind } from '../changes.ts';

const listedMax = 100;

const DeliveryState = oneOf(deliveryStates, component('DeliveryState'));

const fields = {
  url: Type.String({
    minLength: 1,
    maxLength: webhookLengthMax.url,
    description: 'Address on the public Internet, with https.',
    examples: ['https://example.com/hooks/memory'],
  }),
  label: Type.Optional(Type.String({ maxLength: webhookLengthMax.label })),
  kinds: Type.Optional(
    Type.Array(ChangeKind, {
      maxItems: changeKinds.length,
      description: 'Only of these records; absent: of all.',
    }),
  ),
  actions: Type.Optional(
    Type.Array(ChangeAction, { maxItems: changeActions.length, description: 'Only these; absent: all.' }),
  ),
} as const;

const Body = Type.Object(fields, {
  examples: [{ url: 'https://example.com/hooks/memory', kinds: ['memory'], actions: ['created', 'changed'] }],
});

const listed = { id: Type.String(), ...fields, label: Type.String(), createdAt: Type.String() } as const;
export const WebhookSchema = Type.Object(listed, component('Webhook'));
const WebhookWithSecret = Type.Object(
  {
    ...listed,
    secret: Type.String({
      description: 'Of its signatures.',
      examples: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    }),
  },
  component('WebhookWithSecret'),
);

export const DeliverySchema = Type.Object(
  {
    id: Type.String({
      description: 'Also the header `webhook-id` of each try.',
      examples: [`msg_${sampleIds.memory}`],
    }),
    state: DeliveryState,
    body: Type.String({ description: 'As it is sent.' }),
    attempts: Type.Integer({ description: 'Tries so far.' }),
    dueAt: Type.Optional(Type.String({ description: 'When it is sent next, if it waits.' })),
    lastStatus: Type.Optional(Type.Integer({ description: 'Status of the last response.' })),
    lastError: Type.Optional(Type.String({ description: 'Why the last try failed.' })),
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
  component('WebhookDelivery'),
);

function toRecord({ id, url, label, kinds, actions, createdAt }: Webhook): Static<typeof WebhookSchema> {
  return {
    id,
    url,
    label,
    createdAt: toIso(createdAt),
    kinds: kinds === null ? undefined : [...kinds],
    actions: actions === null ? undefined : [...actions],
  };
}

const withSecret = (webhook: Webhook) => ({ ...toRecord(webhook), secret: webhook.secret });

function toDeliveryRecord(delivery: WebhookDelivery): Static<typeof DeliverySchema> {
  const { id, state, body, attempts, dueAt, lastStatus, lastError, createdAt, updatedAt } = delivery;
  return {
    id,
    state,
    body,
    attempts,
    dueAt: state === 'waiting' ? toIso(dueAt) : undefined,
    lastStatus: lastStatus ?? undefined,
    lastError: lastError ?? undefined,
    createdAt: toIso(createdAt),
    updatedAt: toIso(updatedAt),
  };
}

const createWebhook: Route = (app, { webhooks }) =>
  app.post(
    '/api/webhooks',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'createWebhook',
        tags: ['Webhooks'],
        summary: 'Have changes sent to an address',
        description:
          `From now on, up to ${changesPerDelivery} in a message, in the order of the commits and within a second or two: what changed, by ids. ` +
          'Signed by the scheme of Standard Webhooks with the `secret` of the response. A message that no 2xx answers within 10 s is sent again ' +
          `${retryWaitsMs.length} times over nine hours, later ones wait for it, and then it is a dead letter. A user has at most ${webhooksMax} webhooks. ` +
          'docs/webhooks.md tells more. Needs the scope admin.',
        body: Body,
        response: { 201: dataOf(WebhookWithSecret, 'The webhook with its secret.') },
      },
    },
    async (request, reply) => {
      const toBody = (webhook: Webhook) => ({ data: withSecret(webhook) });
      const act = keyedAct<Webhook>(request, reply, 201, (webhook) => ({ body: toBody(webhook) }));
      return reply.code(201).send(toBody(await webhooks.create(request.user, request.body, act)));
    },
  );

const listWebhooks: Route = (app, { webhooks }) =>
  app.get(
    '/api/webhooks',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'listWebhooks',
        tags: ['Webhooks'],
        summary: 'List webhooks',
        description: 'Those of the user, the oldest first, without their secrets. Needs the scope admin.',
        response: { 200: dataOf(Type.Array(WebhookSchema), 'The webhooks.') },
      },
    },
    async ({ user }) => ({ data: (await webhooks.list(user)).map(toRecord) }),
  );

const getWebhook: Route = (app, { webhooks }) =>
  app.get(
    '/api/webhooks/:id',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'getWebhook',
        tags: ['Webhooks'],
        summary: 'Get a webhook',
        description: 'With its secret. Needs the scope admin.',
        params: idParams,
        response: { 200: dataOf(WebhookWithSecret, 'The webhook.') },
      },
    },
    async ({ user, params }) => ({ data: withSecret(await webhooks.get(user, params.id)) }),
  );

const deleteWebhook: Route = (app, { webhooks }) =>
  app.delete(
    '/api/webhooks/:id',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'deleteWebhook',
        tags: ['Webhooks'],
        summary: 'Delete a webhook',
        description: 'With its deliveries: what waits is not sent. Needs the scope admin.',
        params: idParams,
        response: { 204: noContent('Deleted.') },
      },
    },
    async ({ user, params }, reply) => {
      await webhooks.remove(user, params.id);
      return reply.code(204).send(null);
    },
  );

const testWebhook: Route = (app, { webhooks }) =>
  app.post(
    '/api/webhooks/:id/test',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'testWebhook',
        tags: ['Webhooks'],
        summary: 'Send a message of no changes',
        description:
          'A `ping`, within a second or two; its delivery says how it went. Needs the scope admin.',
        params: idParams,
        response: { 202: dataOf(DeliverySchema, 'The delivery, which waits.') },
      },
    },
    async (request, reply) => {
      const toBody = (delivery: WebhookDelivery) => ({ data: toDeliveryRecord(delivery) });
      const act = keyedAct<WebhookDelivery>(request, reply, 202, (made) => ({ body: toBody(made) }));
      return reply.code(202).send(toBody(await webhooks.test(request.user, request.params.id, act)));
    },
  );

const listDeliveries: Route = (app, { webhooks }) =>
  app.get(
    '/api/webhooks/:id/deliveries',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'listWebhookDeliveries',
        tags: ['Webhooks'],
        summary: 'List what was sent to a webhook, and dead letters',
        description:
          `The newest first. Kept are those that wait, the last ${deliveriesKept.delivered} that arrived, and the last ` +
          `${deliveriesKept.dead.toLocaleString('en')} that were given up (\`state=dead\`). Needs the scope admin.`,
        params: idParams,
        querystring: Type.Object({
          ...cursorQuery,
          limit: limitUpTo(listedMax, pageLimitDefault),
          state: Type.Optional(DeliveryState),
        }),
        response: { 200: pageOf(DeliverySchema, 'One page of them.') },
      },
    },
    async (request) => {
      const { user, params, query } = request;
      const asked = { ...toListPage(request), state: query.state };
      const page = await webhooks.listDeliveries(user, params.id, asked);
      return { data: page.items.map(toDeliveryRecord), pagination: toPagination(page, request) };
    },
  );

const redeliver: Route = (app, { webhooks }) =>
  app.post(
    '/api/webhooks/:id/deliveries/:deliveryId/redeliver',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'redeliverWebhook',
        tags: ['Webhooks'],
        summary: 'Send a message again',
        description:
          'With all its tries and under the same id, whether it is a dead letter, waits, or arrived. Needs the scope admin.',
        params: Type.Object({
          id: recordId('The webhook.'),
          deliveryId: Type.String({ minLength: 1, maxLength: 100, description: 'The delivery.' }),
        }),
        response: { 200: dataOf(DeliverySchema, 'The delivery, which waits.') },
      },
    },
    async (request, reply) => {
      const { id, deliveryId } = request.params;
      const toBody = (delivery: WebhookDelivery) => ({ data: toDeliveryRecord(delivery) });
      const act = keyedAct<WebhookDelivery>(request, reply, 200, (made) => ({ body: toBody(made) }));
      return toBody(await webhooks.redeliver(request.user, id, deliveryId, act));
    },
  );

export const webhookRoutes: readonly Route[] = [
  listWebhooks,
  createWebhook,
  getWebhook,
  deleteWebhook,
  testWebhook,
  listDeliveries,
  redeliver,
];
