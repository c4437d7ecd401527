import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type {
  FastifyBaseLogger,
  FastifyInstance,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerDefault,
} from 'fastify';
import type { AppServices } from './services.ts';

// From its package, not from the provider's: that one is not bundled, and a start would read 683 files of it.
export { Type } from 'typebox';

/** The app with requests and responses typed by the route's schema. */
export type RouteApp = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Adds one endpoint, or one small family, to the app. */
export type Route = (app: RouteApp, services: AppServices) => void;
