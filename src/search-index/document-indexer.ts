import type { MemoryContent } from '../domain/memories/memory.ts';
import type { DocumentIndexer, IndexedDocument } from '../domain/shared/text-indexer.ts';
import { ANALYZER_VERSION, analyze, dateWords } from './analysis/index.ts';
import { metadataKeysOf } from './columns/metadata-column.ts';
import { documentTraits } from './ports.ts';

/** A turn of talk is often written `Name: text`; names are at most 40 characters and begin with a letter. */
const spokenBy = /^\s*(\p{L}[\p{L}\p{M}\p{N} .'’-]{0,39}):\s/u;
const question = /[?？؟]["'”’)\]]*\s*$/u;
const shortTermsMax = 11;

/** The speaker, analyzed like terms: the name before the text, else the role. */
function speakerOf({ content, role }: Pick<MemoryContent, 'content' | 'role'>): string {
  const name = inFrontOf(content)?.[1];
  return name === undefined ? (role ?? '') : analyze(name).join(' ');
}

/** The text without the name in front of it. */
export function spokenText(content: string): string {
  const inFront = inFrontOf(content)?.[0] ?? '';
  return content.slice(inFront.length);
}

/** Most texts have no colon at their beginning: the check takes a tenth of the time of a failed match. */
function inFrontOf(content: string): RegExpExecArray | null {
  const beginning = content.slice(0, 60);
  return beginning.includes(':') ? spokenBy.exec(beginning) : null;
}

function memoryDocument(memory: MemoryContent): IndexedDocument {
  const date = memory.eventTime === null ? '' : dateWords(memory.eventTime);
  const terms = analyze([memory.content, date, memory.name ?? '', ...memory.topics].join('\n'));
  const asks = question.test(memory.content.slice(-200)) ? documentTraits.question : 0;
  const short = terms.length <= shortTermsMax ? documentTraits.short : 0;
  return {
    terms,
    traits: asks | short,
    speaker: speakerOf(memory),
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
