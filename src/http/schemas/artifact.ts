import { type Static, Type } from 'typebox';
import { type Artifact, artifactLengthMax } from '../../domain/artifacts/artifact.ts';
import { toIso } from '../../domain/shared/time.ts';
import type { UserRef } from '../../domain/shared/user-ref.ts';
import { component } from './component.ts';
import { sampleIds } from './samples.ts';

const jsonObject = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description });

export const ArtifactSchema = Type.Object(
  {
    id: Type.String({ examples: [sampleIds.artifact] }),
    userId: Type.String(),
    content: Type.String(),
    size: Type.Integer({ description: 'Length of content in UTF-16 units.' }),
    type: Type.String(),
    name: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    memoryId: Type.Optional(Type.String()),
    conversationId: Type.Optional(Type.String()),
    metadata: Type.Optional(jsonObject('As the client sent it.')),
    createdAt: Type.String(),
    updatedAt: Type.String(),
  },
  component('Artifact'),
);

export function toArtifactRecord(artifact: Artifact, user: UserRef): Static<typeof ArtifactSchema> {
  const { id, content, type, name, description, memoryId, conversationId, metadata } = artifact;
  return {
    id,
    userId: user.publicId,
    content,
    size: content.length,
    type,
    ...(name !== null && { name }),
    ...(description !== null && { description }),
    ...(memoryId !== null && { memoryId }),
    ...(conversationId !== null && { conversationId }),
    ...(metadata !== null && { metadata: { ...metadata } }),
    createdAt: toIso(artifact.createdAt),
    updatedAt: toIso(artifact.updatedAt),
  };
}

const removable = (maxLength: number) =>
  Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      maxLength,
      description: 'An empty text or null means none.',
    }),
  );

export const artifactContentField = Type.String({ minLength: 1, maxLength: artifactLengthMax.content });
export const artifactTypeField = Type.String({
  minLength: 1,
  maxLength: artifactLengthMax.type,
  description: 'Any word, such as note, document or code. Not blank.',
});

/** Some clients send `data` instead of `content`. */
export const artifactDataField = Type.Optional(
  Type.Unknown({ description: 'In place of an absent content; what is no text is kept as JSON text.' }),
);

/** @returns undefined if the body has neither */
export function artifactContentOf(body: { content?: string; data?: unknown }): string | undefined {
  const { content, data } = body;
  if (content !== undefined || data === undefined) return content;
  return typeof data === 'string' ? data : JSON.stringify(data);
}

/** Optional fields of an artifact, for create and update: all but content and type. */
export const artifactFields = {
  name: removable(artifactLengthMax.name),
  description: removable(artifactLengthMax.description),
  metadata: Type.Optional(
    jsonObject(
      `At most ${artifactLengthMax.metadata} characters as JSON; replaces what was there as a whole.`,
    ),
  ),
} as const;
