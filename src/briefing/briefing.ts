import type { UserRef } from '../domain/shared/user-ref.ts';
import type { BriefingDeps } from './briefing-deps.ts';
import { buildContext } from './context/build-context.ts';
import type { BuiltContext, ContextRequest } from './context/context.ts';
import type { Digest, DigestRequest } from './digest/digest.ts';
import { makeDigest } from './digest/make-digest.ts';
import { compileInstructions } from './instructions/compile-instructions.ts';
import type { CompiledInstructions, InstructionsRequest } from './instructions/instructions.ts';

/** Digests, contexts and instructions, for routes and MCP tools. */
export interface Briefing {
  digest(user: UserRef, request: DigestRequest): Promise<Digest>;
  instructions(user: UserRef, request: InstructionsRequest): Promise<CompiledInstructions>;
  context(user: UserRef, request: ContextRequest): Promise<BuiltContext>;
}

export function createBriefing(deps: BriefingDeps): Briefing {
  return {
    digest: (user, request) => makeDigest(deps, user, request),
    instructions: (user, request) => compileInstructions(deps, user, request),
    context: (user, request) => buildContext(deps, user, request),
  };
}
