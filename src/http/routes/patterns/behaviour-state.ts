import type { BehaviourState } from '../../../domain/patterns/behaviour-store.ts';
import { keyedAct } from '../../keyed-act.ts';
import { type Route, Type } from '../../route-plugin.ts';
import { dataOf, errorResponses } from '../../schemas/envelope.ts';

const State = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'Any JSON object; the service does not interpret it.',
});

const Body = Type.Object(
  {
    state: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description: 'Takes the place of the whole state.',
      }),
    ),
    mutations: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        additionalProperties: true,
        description:
          'A JSON merge patch (RFC 7396): null removes a member, objects are merged. Applied after `state`.',
      }),
    ),
  },
  { examples: [{ mutations: { tone: 'brief', language: null } }] },
);

const toBody = (state: BehaviourState) => ({ data: { ...state } });

export const getBehaviorState: Route = (app, { behaviour }) => {
  app.get(
    '/api/patterns/behavior/state',
    {
      schema: {
        operationId: 'getBehavioralState',
        tags: ['Patterns'],
        summary: 'Get the behaviour state',
        description: 'What clients keep of their own behaviour; an empty object where nothing was stored.',
        response: { 200: dataOf(State, 'The state.'), ...errorResponses },
      },
    },
    async ({ user }) => toBody(await behaviour.get(user)),
  );
};

export const updateBehaviorState: Route = (app, { behaviour }) => {
  app.post(
    '/api/patterns/behavior/state',
    {
      schema: {
        operationId: 'updateBehavioralState',
        tags: ['Patterns'],
        summary: 'Change the behaviour state',
        description:
          'One of `state` and `mutations` is needed. A state has at most 64 KiB as JSON; more is 413.',
        body: Body,
        response: { 200: dataOf(State, 'The state as it is now.'), ...errorResponses },
      },
    },
    async (request, reply) => {
      const { state, mutations } = request.body;
      const act = keyedAct<BehaviourState>(request, reply, 200, (done) => ({ body: toBody(done) }));
      return toBody(await behaviour.change(request.user, { state, mutations }, act));
    },
  );
};
