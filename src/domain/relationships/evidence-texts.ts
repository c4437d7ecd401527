import type { FoundRelationshipReader } from './found-edge-store.ts';
import type { RelationshipEvidence } from './relationship.ts';

/** The words that show a relationship, at most 500 characters each. */
export interface EvidenceTexts {
  /** Of the target. */
  readonly earlier: string;
  /** Of the source. */
  readonly later: string;
}

/** The evidence of each, as the versions say it that were compared; undefined where there is none. */
export async function evidenceTextsOf(
  reader: Pick<FoundRelationshipReader, 'textsAt'>,
  edges: readonly { readonly evidence?: RelationshipEvidence }[],
): Promise<(EvidenceTexts | undefined)[]> {
  const shown = edges.flatMap(({ evidence }) => (evidence ? [evidence.earlier, evidence.later] : []));
  const texts = shown.length === 0 ? [] : await reader.textsAt(shown);
  let at = 0;
  return edges.map(({ evidence }) => {
    if (!evidence) return undefined;
    const [earlier, later] = texts.slice(at, at + 2);
    at += 2;
    return earlier === undefined || later === undefined ? undefined : { earlier, later };
  });
}
