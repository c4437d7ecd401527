import type { LanguageModel } from '../language-model.ts';
import type { Lexicon } from '../models/word-lists.ts';
import { stopWords } from '../text/plain-words.ts';
import type { MentionDraft } from './mention-draft.ts';

const extension =
  /\.(ts|tsx|js|jsx|mjs|cjs|json|jsonl|md|mdx|rst|py|go|rs|rb|java|kt|swift|c|h|cc|cpp|hpp|cs|php|sql|ya?ml|toml|ini|env|sh|bash|zsh|txt|csv|tsv|xml|html?|css|scss|svg|png|jpe?g|gif|pdf|lock|log|conf|cfg|proto|gradle|ipynb|db|sqlite|vue|svelte|dockerfile|tf|zip|gz|docx?|xlsx?|pptx?)$/i;
const method = /^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$/;
const systemFolder = /^\/(dev|etc|usr|var|home|tmp|opt|mnt|srv|proc|root|bin|lib|Users)(\/|$)/;
const projectFolder = /^(src|lib|test|tests|docs|bin|scripts|dist|deploy|app|pkg|cmd|internal|\.[a-z]+)\//;
const relativePath = /^[\w@.~-]+(\/[\w@.{}*-]+)+\/?$/;
const dottedName = /^[\w-]+(\.[\w-]+)+$/;
const knownFile = /^(Dockerfile|Makefile|Jenkinsfile|Procfile|LICENSE|\.env|\.gitignore)$/;
const scopedPackage = /^@[\w-]+\/[\w.-]+$/;
const link = /^https?:\/\//;
const mailEnd = /\.\w+$/;
/** Names of hosts; an ending that identifiers have as well needs three parts. */
const host =
  /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.(?:com|org|net|edu|gov|io|uk|de|fr|nl|eu)$|^[a-z0-9-]+(?:\.[a-z0-9-]+)+\.(?:app|dev|ai|ch|at|co|info|cloud|local|internal|example|test)$/;
const letter = /[a-z]/i;
const hyphenated = /^[a-z0-9]+(-[a-z0-9]+)+$/;
const service =
  /-(service|api|app|web|ui|backend|frontend|worker|server|client|gateway|repo|sdk|cli|site|bot|core)$/;
const numbered = /^[a-z]+(-[a-z]+)+-?\d+$/;

/** Finds endpoints, files, packages and hyphenated names. Excludes links and e-mail addresses. */
export function findPaths(draft: MentionDraft, { lexicon }: LanguageModel): void {
  const { words } = draft.sentence;
  for (const [i, word] of words.entries()) {
    if (method.test(word) && words[i + 1]?.startsWith('/'))
      draft.put(i, i + 2, 'API_ENDPOINT', 'pattern', 0.98);
    else if (isAddress(word) || isHost(word, lexicon)) draft.exclude(i);
    else if (word.startsWith('/') && word.length > 2) putAbsolute(draft, i, word);
    else if (scopedPackage.test(word)) draft.put(i, i + 1, 'TECHNOLOGY', 'pattern', 0.9);
    else if (word.startsWith('#') || word.startsWith('@')) draft.exclude(i);
    else findFile(draft, i, word, lexicon.technologies.has(word.toLowerCase()));
  }
}

function putAbsolute(draft: MentionDraft, i: number, word: string): void {
  // The rest of a link: `s3://bucket`.
  if (/[:/]$/.test(draft.sentence.words[i - 1] ?? '')) draft.exclude(i);
  else draft.put(i, i + 1, isAbsoluteFile(word) ? 'FILE' : 'API_ENDPOINT', 'pattern', 0.9);
}

function findFile(draft: MentionDraft, i: number, word: string, isTechnology: boolean): void {
  if (word.includes('/') && letter.test(word)) {
    if (isRelativeFile(word)) draft.put(i, i + 1, 'FILE', 'pattern', 0.9);
  } else if (isFileName(word) && !isTechnology) draft.put(i, i + 1, 'FILE', 'pattern', 0.9);
  else if (hyphenated.test(word)) putHyphenated(draft, i, word, isTechnology);
}

const isAddress = (word: string) =>
  link.test(word) || (word.includes('@') && !word.startsWith('@') && mailEnd.test(word));

const isHost = (word: string, { technologies }: Lexicon) =>
  host.test(word) && !isFileName(word) && !technologies.has(word);

const isAbsoluteFile = (word: string) => extension.test(word) || systemFolder.test(word);

const isFileName = (word: string) => knownFile.test(word) || (dottedName.test(word) && extension.test(word));

function isRelativeFile(word: string): boolean {
  if (!relativePath.test(word)) return false;
  return extension.test(word) || word.endsWith('/') || word.split('/').length > 2 || projectFolder.test(word);
}

function putHyphenated(draft: MentionDraft, i: number, word: string, isTechnology: boolean): void {
  if (isTechnology) draft.put(i, i + 1, 'TECHNOLOGY', 'list', 0.85);
  else if (service.test(word)) draft.put(i, i + 1, 'PROJECT', 'pattern', 0.75);
  else if (numbered.test(word)) draft.put(i, i + 1, 'COMPONENT', 'pattern', 0.6);
}

const call = /\(\)$/;
const constant = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/;
const snakeCase = /^[a-z0-9]+(_[a-z0-9]+)+$/;
const dotted = /^[A-Za-z_]\w*((\.|::|->)[A-Za-z_]\w*)+$/;
const abbreviation = /^(e\.g|i\.e|p\.m|a\.m)$/i;
const betweenSentences = /^(\p{L}+)\.(\p{Lu}\p{Ll}*)$/u;
const camelCase = /^[a-z]+[A-Z]\w*$/;
const product = /^(?:iPhone|iPad|iOS|macOS|eBay|[kmd]B|[km]?Wh|[kMG]Hz|mAh|kPa)$/;
const pascalCase = /^([A-Z][a-z0-9]+){2,}$/;
const namedType = /ORG|PER|LOC/;

function isIdentifier(word: string): boolean {
  if (call.test(word) || constant.test(word) || snakeCase.test(word)) return true;
  if (dotted.test(word)) return !abbreviation.test(word);
  return camelCase.test(word) && !product.test(word);
}

/** Whether the space after a sentence is missing: `goals.Invest`. */
function isSentenceEnd(word: string, english: ReadonlySet<string>): boolean {
  const [, first, next] = betweenSentences.exec(word) ?? [];
  const isWord = (part: string) => english.has(part.toLowerCase()) || stopWords.has(part.toLowerCase());
  return next !== undefined && isWord(next) && (isWord(first) || stopWords.has(next.toLowerCase()));
}

/** Finds identifiers of code. */
export function findComponents(draft: MentionDraft, { lexicon }: LanguageModel): void {
  for (const [i, word] of draft.sentence.words.entries()) {
    if (!draft.isFree(i)) continue;
    if (isSentenceEnd(word, lexicon.english)) draft.exclude(i);
    else if (isIdentifier(word)) draft.put(i, i + 1, 'COMPONENT', 'pattern', 0.85);
    else if (pascalCase.test(word) && !namedType.test(draft.spanAt(i)?.type ?? ''))
      draft.put(i, i + 1, 'COMPONENT', 'pattern', 0.7);
  }
}

const projectCue = /^(Project|project)$/;
const capitalised = /^\p{Lu}\w+$/u;
const capital = /^\p{Lu}/u;
/** Words after the name of a project. */
const thing = /^(repo|repository|project|codebase|schema|roadmap|launch|reports|release|build|monorepo)$/;
const repository = /^(repo|repository|codebase|monorepo)$/;
const noun = /^(NNP|NN)$/;
const beforeRepository = /^(the|our|in)$/;
const noName = /^(The|This|Our|New|Next|First|Last|That|My)$/;

/** Finds projects by the words next to them: `Project X`, `the x repo`, `X roadmap`. */
export function findProjects(draft: MentionDraft): void {
  const { words, tags } = draft.sentence;
  for (const [i, word] of words.entries()) {
    const next = words[i + 1];
    if (next === undefined || !draft.isFree(i)) continue;
    if (projectCue.test(word) && capitalised.test(next))
      draft.put(word === 'Project' ? i : i + 1, i + 2, 'PROJECT', 'pattern', 0.85);
    if (!thing.test(next) || !noun.test(tags[i]) || noName.test(word)) continue;
    const isLowerName = beforeRepository.test(words[i - 1] ?? '') && repository.test(next);
    if (capital.test(word) || isLowerName) draft.put(i, i + 1, 'PROJECT', 'pattern', 0.7);
  }
}
