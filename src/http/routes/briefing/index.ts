import type { Route } from '../../route-plugin.ts';
import { buildContext } from './build-context.ts';
import { createCommitContext } from './create-commit-context.ts';
import { createDigest } from './create-digest.ts';
import { type StreamDigestOptions, streamDigest } from './stream-digest.ts';

export function briefingRoutes(options: StreamDigestOptions): readonly Route[] {
  return [createDigest, streamDigest(options), buildContext, createCommitContext];
}
