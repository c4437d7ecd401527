import { fileURLToPath } from 'node:url';
import { LRUCache } from 'lru-cache';
import type { KnownName } from '../domain/derivation/derived.ts';
import type { ImmediateEmbedder } from '../domain/embedding/embedder.ts';
import { loadStaticModel, StaticEmbedder } from '../embedding/static/static-model.ts';
import { judgeAlias } from '../language/aliases/judge-alias.ts';
import { analysedLengthMax } from '../language/analysed-text.ts';
import { type DerivedText, deriveText } from '../language/derive-text.ts';
import { KnownNames } from '../language/entities/known-names.ts';
import { type LanguageModel, loadLanguageModel } from '../language/language-model.ts';
import { timesInText } from '../search/query/times/times-in-texts.ts';
import { analyze } from '../search-index/analysis/index.ts';
import { entitiesOfText, factsOfText, isNameLike, nameOfTopic, withGivenNames } from './derived-records.ts';
import { PairComparer } from './relationship-finder.ts';
import type {
  AliasRequest,
  AliasVerdict,
  DeriveReply,
  DeriveRequest,
  TextDerived,
  TextToDerive,
  TopicPhrase,
} from './text-deriver.ts';

/** Maximum of users whose names are cached between requests. */
const usersMax = 50;
const word = /[\p{L}\p{N}]/u;
const projectPrefix = /^project\s+/i;

interface NamesOfUser {
  readonly mark: string;
  readonly names: KnownNames;
}

/** Derives from texts with one language model and one embedder, on the thread of the caller. */
export class TextReader {
  readonly #model: LanguageModel;
  readonly #embedder: ImmediateEmbedder;
  readonly #texts: Pick<PairComparer, 'readBefore'>;
  readonly #users = new LRUCache<number, NamesOfUser>({ max: usersMax });

  /** @param texts those that were read for a comparison */
  constructor(model: LanguageModel, embedder: ImmediateEmbedder, texts: Pick<PairComparer, 'readBefore'>) {
    this.#model = model;
    this.#embedder = embedder;
    this.#texts = texts;
  }

  /** @returns undefined if the names of the request's mark are not cached */
  derive({ userId, mark, names, texts }: DeriveRequest): DeriveReply {
    if (names) this.#users.set(userId, { mark, names: new KnownNames(names.flatMap(spellingsOf)) });
    const known = this.#users.get(userId);
    if (known?.mark !== mark) return undefined;
    return texts.map((text) => this.#deriveOne(text, known.names));
  }

  judge({ type, names, others }: AliasRequest): AliasVerdict[][] {
    return names.map((name) => others.map((other) => judgeAlias(this.#model, name, other, type)));
  }

  /** Derives from one text; names that are certain in it are known in the texts after it. */
  #deriveOne({ doc, content, at, topics, contextNames }: TextToDerive, known: KnownNames): TextDerived {
    if (!word.test(content))
      return {
        isEnglish: false,
        skipReason: 'content_too_short',
        entities: [],
        facts: [],
        topics: [],
        times: [],
      };
    const given = [
      ...contextNames
        .filter(({ name }) => isNameLike(this.#model, name))
        .map((name) => ({ ...name, foundBy: 'context' as const })),
      ...topics.flatMap((topic) => {
        const name = nameOfTopic(this.#model, topic);
        return name ? [{ ...name, foundBy: 'topic' as const }] : [];
      }),
    ];
    known.add(given);
    const derived = deriveText(this.#model, content, known, this.#texts.readBefore({ doc, content }));
    const entities = withGivenNames(entitiesOfText(derived.entities), given);
    known.add(entities.filter(({ isCertain }) => isCertain).flatMap(spellingsOf));
    return {
      isEnglish: derived.isEnglish,
      skipReason: derived.isEnglish ? null : 'not_english',
      entities: entities.map((entity) => ({
        ...entity,
        terms: entity.isCertain ? analyze(bareName(entity)) : [],
      })),
      facts: factsOfText(derived.facts, entities),
      topics: this.#topicsOf(content, derived),
      times: timesInText(content, at),
    };
  }

  #topicsOf(content: string, { topics }: DerivedText): TopicPhrase[] {
    if (topics.length === 0) return [];
    const text = this.#embedder.embedNow(content.slice(0, analysedLengthMax));
    return topics.map((topic) => ({
      ...topic,
      closeness: cosine(this.#embedder.embedNow(topic.phrase), text),
      terms: [...new Set(analyze(topic.phrase))],
    }));
  }
}

/** The name without its cue: "Project Atlas" is also written "Atlas". */
function bareName({ name, type, foundType = type }: KnownName): string {
  return (foundType === 'PROJECT' && name.replace(projectPrefix, '')) || name;
}

/**
 * The full name and the bare one. The bare one has the derived type, by which it is an alias of the full one.
 */
function spellingsOf(known: KnownName): KnownName[] {
  const { name, type, foundType = type } = known;
  const bare = bareName(known);
  return bare === name
    ? [{ name, type }]
    : [
        { name, type },
        { name: bare, type: foundType },
      ];
}

function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
}

const folderOf = (name: string) => fileURLToPath(new URL(`../../models/${name}`, import.meta.url));

/** Reader and comparer of texts, over the same models. */
export interface TextReaders {
  readonly reader: TextReader;
  readonly finder: PairComparer;
}

/** Loads the bundled models, which takes some 0.3 s. @throws LanguageFileError, ModelFileError */
export function loadTextReaders(): TextReaders {
  const model = loadStaticModel(folderOf('static-en-256'));
  const embedder = new StaticEmbedder('static-en-256', model);
  const language = loadLanguageModel(folderOf('language-en'), model.vocabulary);
  const finder = new PairComparer(language, embedder);
  return { reader: new TextReader(language, embedder, finder), finder };
}
