import { keyLabelLengthMax, keyScopes } from '../../../domain/api-keys/api-key.ts';
import { parseTime } from '../../../domain/shared/time.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { ApiKeySchema, toApiKeyRecord } from '../../schemas/api-key.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';
import { oneOf, timeText } from '../../schemas/query.ts';

const Body = Type.Object(
  {
    label: Type.Optional(Type.String({ maxLength: keyLabelLengthMax })),
    expiresAt: Type.Optional(timeText('When the key stops working; never by default.')),
    scopes: Type.Optional(Type.Array(oneOf(keyScopes), { minItems: 1, maxItems: keyScopes.length })),
  },
  { examples: [{ label: 'laptop', scopes: ['read', 'write'] }] },
);

export const createApiKey: Route = (app, { keys }) => {
  app.post(
    '/api/apikeys',
    {
      config: { scope: 'admin' },
      schema: {
        operationId: 'createApiKey',
        tags: ['API keys'],
        summary: 'Make an API key; the answer is the only place its secret is shown',
        body: Type.Optional(Body),
        response: {
          201: dataOf(Type.Object({ apiKey: Type.String(), keyInfo: ApiKeySchema })),
          ...errorResponses,
        },
      },
    },
    async (request, reply) => {
      const { label, expiresAt, scopes } = request.body ?? {};
      const created = await keys.create(request.user, {
        label,
        scopes,
        expiresAt: expiresAt === undefined ? undefined : parseTime(expiresAt, 'expiresAt', 'end'),
      });
      return reply
        .code(201)
        .send({ data: { apiKey: created.apiKey, keyInfo: toApiKeyRecord(created.keyInfo) } });
    },
  );
};
