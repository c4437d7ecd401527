import type { MemoryContent } from '../domain/memories/memory.ts';
import type { DocumentIndexer, IndexedDocument } from '../domain/shared/text-indexer.ts';
import { speakerLabelOf } from '../lib/speakers/speaker-label.ts';
import { ANALYZER_VERSION, analyze, dateWords } from './analysis/index.ts';
import { metadataKeysOf } from './columns/metadata-column.ts';
import { documentTraits } from './ports.ts';

const question = /[?？؟]["'”’)\]]*\s*$/u;
const shortTermsMax = 11;

/** The text without the speaker in front of it. */
export function spokenText(content: string): string {
  return content.slice(speakerLabelOf(content)?.bodyStart ?? 0);
}

function memoryDocument(memory: MemoryContent): IndexedDocument {
  const date = memory.eventTime === null ? '' : dateWords(memory.eventTime);
  const terms = analyze([memory.content, date, memory.name ?? '', ...memory.topics].join('\n'));
  const asks = question.test(memory.content.slice(-200)) ? documentTraits.question : 0;
  const short = terms.length <= shortTermsMax ? documentTraits.short : 0;
  const label = speakerLabelOf(memory.content);
  const uncertain = label && !label.isKnownName ? documentTraits.uncertainSpeaker : 0;
  return {
    terms,
    traits: asks | short | uncertain,
    speaker: label ? analyze(label.name).join(' ') : (memory.role ?? ''),
    metadataKeys: metadataKeysOf(memory.metadata),
  };
}

/** Documents are the text itself, its event date in words, topics and name. */
export function createDocumentIndexer(): DocumentIndexer {
  return {
    version: ANALYZER_VERSION,
    memory: memoryDocument,
    conversation: (title, summary) => ({
      terms: analyze(`${title}\n${summary ?? ''}`),
      traits: 0,
      speaker: '',
      metadataKeys: '',
    }),
    fact: ({ subject, predicate, object }) => ({
      terms: analyze(`${subject}\n${predicate}\n${object}`),
      traits: 0,
      speaker: '',
      metadataKeys: '',
    }),
  };
}
