import type { Route } from '../../route-plugin.ts';
import { buildContext } from './build-context.ts';
import { createDigest } from './create-digest.ts';

export const briefingRoutes: readonly Route[] = [createDigest, buildContext];
