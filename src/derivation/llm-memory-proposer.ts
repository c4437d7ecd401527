import type {
  Derived,
  DerivedEntity,
  DerivedFact,
  Proposals,
  Veto,
  VetoKind,
} from '../domain/derivation/derived.ts';
import type { Deriver, MemoryProposer } from '../domain/derivation/deriver.ts';
import { vetoKeyOf, withoutVetoed } from '../domain/derivation/vetoes.ts';
import type { StepItem } from '../domain/jobs/step.ts';
import type { ExtractedFact, SourceSpan } from '../language/facts/fact.ts';
import { lemmaOf } from '../language/facts/lemma.ts';
import { speakerOf } from '../language/text/speaker.ts';
import { nameKey } from '../lib/names.ts';
import type { ProposedEntity, ProposedFact } from '../llm/check/check-proposals.ts';
import { overlap, type Span } from '../llm/check/quotes.ts';
import { LlmError } from '../llm/llm-error.ts';
import type { ProposedText, Proposer } from '../llm/proposer.ts';
import type { ShownRecords } from '../llm/requests.ts';
import { factsOfText } from './derived-records.ts';

const nothing: ProposedText = { entities: [], facts: [], wrong: [] };

export interface LlmMemoryProposerDeps {
  readonly llm: Pick<Proposer, 'proposeText' | 'concurrency' | 'inputMax'>;
  /** Derives by rules; the LLM does not replace these records. */
  readonly deriver: Deriver;
}

/** Asks an LLM about memories, and keeps the entities and facts that the rules did not find. */
export class LlmMemoryProposer implements MemoryProposer {
  readonly #deps: LlmMemoryProposerDeps;

  constructor(deps: LlmMemoryProposerDeps) {
    this.#deps = deps;
  }

  get concurrency(): number {
    return this.#deps.llm.concurrency;
  }

  async propose(batch: readonly StepItem[]): Promise<Proposals[]> {
    const derived = await this.#deps.deriver.derive(batch);
    const asked = batch.map(({ memory }, i) => this.#proposeOne(memory.content, derived[i]));
    // Waits for all, so that replies already paid for are cached before the first failure is reported.
    await Promise.allSettled(asked);
    return Promise.all(asked);
  }

  isUnavailable(error: unknown): boolean {
    return error instanceof LlmError && error.isUnavailable;
  }

  async #proposeOne(content: string, derived: Derived): Promise<Proposals> {
    const isEmpty = derived.skipReason === 'content_too_short';
    const judged = judgedOf(derived, content.length, this.#deps.llm.inputMax);
    const proposed = isEmpty ? nothing : await this.#deps.llm.proposeText(content, toShown(judged));
    const vetoes = proposed.wrong.map(({ kind, index }) => vetoOf(judged, kind, index));
    return { ...proposalsOf(content, proposed, withoutVetoed(derived, vetoes)), vetoes };
  }
}

const judgedMax = 50;

/**
 * The records that the LLM judges: of the text that is sent to it, not of the rest of a long one and not names that the
 * client gave with the memory. The places of topics are unknown, so those of a long text are not sent.
 */
function judgedOf({ entities, facts, topics }: Derived, length: number, sentMax: number): Judged {
  const isSent = ({ start, end }: Span) => end > start && end <= sentMax;
  return {
    entities: entities.filter(isSent).slice(0, judgedMax),
    facts: facts.filter(isSent).slice(0, judgedMax),
    topics: length <= sentMax ? topics.slice(0, judgedMax) : [],
  };
}
type Judged = Pick<Derived, 'entities' | 'facts' | 'topics'>;

const toShown = ({ entities, facts, topics }: Judged): ShownRecords => ({
  entities: entities.map(({ name, type }) => ({ name, type })),
  facts: facts.map(({ subject, predicate, object }) => ({ subject, predicate, object })),
  topics: topics.map(({ name }) => name),
});

function vetoOf({ entities, facts, topics }: Judged, kind: VetoKind, index: number): Veto {
  switch (kind) {
    case 'entity':
      return { kind, key: vetoKeyOf.entity(entities[index]) };
    case 'fact':
      return { kind, key: vetoKeyOf.fact(facts[index]) };
    case 'topic':
      return { kind, key: vetoKeyOf.topic(topics[index]) };
  }
}

const spaces = /\s+/g;

/**
 * Entities and facts that the LLM adds to those of the rules. If both cover the same words, the rules win.
 */
function proposalsOf(text: string, proposed: ProposedText, derived: Derived): Omit<Proposals, 'vetoes'> {
  const entities = newEntities(text, proposed.entities, derived.entities);
  const all = [...entities, ...derived.entities];
  // The check of polarity knows English words only.
  const said = derived.isEnglish ? proposed.facts : [];
  const facts = factsOfText(
    said.map((fact) => toExtracted(text, fact)),
    all,
  )
    .map((fact): DerivedFact => ({ ...fact, basis: 'inferred' }))
    .filter((fact) => !derived.facts.some((known) => isSame(known, fact)));
  return { entities, facts, derivedEntities: derived.entities };
}

function newEntities(
  text: string,
  proposed: readonly ProposedEntity[],
  known: readonly DerivedEntity[],
): DerivedEntity[] {
  const byName = new Map<string, DerivedEntity>();
  for (const { start, end, type, confidence } of proposed) {
    const name = text.slice(start, end).replace(spaces, ' ');
    const key = nameKey(name);
    const isKnown = known.some((entity) => entity.key === key || overlap(entity, { start, end }));
    if (isKnown || byName.has(key)) continue;
    byName.set(key, {
      name,
      key,
      type,
      start,
      end,
      mentions: 1,
      confidence,
      foundBy: 'llm',
      isCertain: false,
    });
  }
  return [...byName.values()];
}

/** Converts to the form of the rules' facts, so that equal statements get the same key. */
function toExtracted(text: string, fact: ProposedFact): ExtractedFact {
  const at = ({ start, end }: Span): SourceSpan => ({ text: text.slice(start, end), start, end });
  const verb = at(fact.verb);
  return {
    subject: at(fact.subject),
    isSelf: fact.isSelf,
    predicate: fact.predicate,
    verb,
    head: lemmaOf(verb.text.toLowerCase()),
    object: at(fact.object),
    isState: false,
    isNegated: fact.isNegated,
    basis: 'direct',
    speaker: speakerOf(text)?.name,
    times: [],
    margin: 0,
    confidence: fact.confidence,
    isUseful: true,
  };
}

function isSame(known: DerivedFact, fact: DerivedFact): boolean {
  if (known.key === fact.key) return true;
  const [a, b] = [nameKey(known.object), nameKey(fact.object)];
  return overlap(known, fact) && (a.includes(b) || b.includes(a));
}
