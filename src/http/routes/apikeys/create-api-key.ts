import { keyLabelLengthMax, keyScopes } from '../../../domain/api-keys/api-key.ts';
import type { CreatedKey } from '../../../domain/api-keys/key-service.ts';
import { apiKeyShownBefore } from '../../../domain/shared/errors.ts';
import { parseExpiry } from '../../../domain/shared/time.ts';
import { toErrorBody } from '../../errors.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { ApiKeySchema, keyLimit, toApiKeyRecord } from '../../schemas/api-key.ts';
import { component } from '../../schemas/component.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { expiryText, oneOf } from '../../schemas/query.ts';

const Body = Type.Object(
  {
    label: Type.Optional(Type.String({ maxLength: keyLabelLengthMax })),
    expiresAt: Type.Optional(
      expiryText(
        'When the key stops working, no later than the key that makes it; that by default, or never where that ' +
          'never does.',
      ),
    ),
    scopes: Type.Optional(
      Type.Array(oneOf(keyScopes, component('KeyScope')), {
        minItems: 1,
        maxItems: keyScopes.length,
        description:
          'At most those of the key that makes it, which are the default but for `operator`, which is given only where it is asked for.',
      }),
    ),
    requestsPerMinute: keyLimit,
  },
  { examples: [{ label: 'laptop', scopes: ['read', 'write'] }] },
);

export const createApiKey: Route = (app, { keys, clock }) => {
  app.post(
    '/api/apikeys',
    {
      config: { scope: 'admin', showsSecret: true },
      schema: {
        operationId: 'createApiKey',
        tags: ['API keys'],
        summary: 'Create an API key',
        description:
          'A repeat with the same Idempotency-Key makes no second key and does not show the secret again: it is ' +
          'answered with 409 API_KEY_SHOWN_BEFORE.',
        body: Type.Optional(Body),
        response: {
          201: dataOf(
            Type.Object({ apiKey: Type.String(), keyInfo: ApiKeySchema }, component('CreatedApiKey')),
            'The key; its secret is shown here only.',
          ),
          ...errorResponses,
        },
      },
    },
    async (request, reply) => {
      const { expiresAt, ...rest } = request.body ?? {};
      const fields = {
        ...rest,
        expiresAt: expiresAt === undefined ? undefined : parseExpiry(expiresAt, 'expiresAt', clock.now()),
      };
      const shownBefore = ({ keyInfo }: CreatedKey) => ({
        body: toErrorBody(apiKeyShownBefore(keyInfo.id), request.id),
      });
      const act = keyedAct(request, reply, 409, shownBefore);
      const { apiKey, keyInfo } = await keys.createBy(request.apiKey, request.user, fields, act);
      return reply.code(201).send({ data: { apiKey, keyInfo: toApiKeyRecord(keyInfo) } });
    },
  );
};
