import type { Route } from '../../route-plugin.ts';
import { createCommitContext } from './commit-context.ts';
import { buildContext } from './context.ts';
import { createDigest, type StreamDigestOptions, streamDigest } from './digest.ts';

export function briefingRoutes(options: StreamDigestOptions): readonly Route[] {
  return [createDigest, streamDigest(options), buildContext, createCommitContext];
}
