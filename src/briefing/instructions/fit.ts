import type { PatternSummary } from '../../domain/patterns/pattern.ts';
import { analyze } from '../../search-index/analysis/index.ts';

/** Words for the same part of work: a rule on deploys fits "release the service". */
const groups = [
  'deploy deployment deploying release ship rollout launch',
  'pr review reviewer',
  'secret credential token password key',
  'test spec vitest jest pytest',
  'ci pipeline workflow',
  'database db sql postgres sqlite mysql',
  'doc documentation docs readme docstring',
  'lint linter linting eslint',
  'format formatter formatting',
  'dependency package library',
  'migration migrate',
  'log logger logging',
  'script shell bash',
  'delete remove drop erase',
  'endpoint route api',
  'bill billing invoice payment price',
  'commit committing',
  'push pushing',
];

/** Words of almost every task, weekdays and the like: alone they show nothing. */
const general = new Set(
  analyze(
    'use want user need make add change new work project repo repository code codebase file thing way line set put keep write ' +
      'read run open ask tell update show create call get give include store save start stop begin end work always never ' +
      'every each all any only first before after when whenever please ensure sure should must team agent prefer like avoid ' +
      'name list check fix build edit move take help implement support handle try go come one two three day week time good ' +
      'better best short long small large main master share shared source src ts js index monday tuesday wednesday thursday ' +
      'friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays instead don default',
  ),
);

const kinds = new Map(
  groups.flatMap((words, i) => analyze(words).map((term) => [term, `kind ${i}`] as const)),
);

/** Kinds of work by the ends of files' names. */
const kindsOfFiles: readonly (readonly [RegExp, string])[] = [
  [/\.(?:sh|bash|zsh)$/iu, 'shell script'],
  [/\.(?:md|mdx|rst|adoc)$/iu, 'documentation markdown'],
  [/(?:^|[/\\])docs?[/\\]/iu, 'documentation'],
  [/[._-](?:test|spec)\.\w+$|(?:^|[/\\])(?:tests?|__tests__|specs?)[/\\]/iu, 'test'],
  [/\.sql$|(?:^|[/\\])migrations?[/\\]/iu, 'migration database'],
  [/\.github[/\\]workflows|\.gitlab-ci|jenkinsfile/iu, 'ci pipeline'],
  [
    /(?:^|[/\\])(?:package(?:-lock)?\.json|requirements\.txt|pyproject\.toml|cargo\.toml|go\.mod)$/iu,
    'dependency',
  ],
  [/dockerfile/iu, 'docker image'],
  [/\.py$/iu, 'python'],
  [/\.tsx?$/iu, 'typescript'],
  [/\.go$/iu, 'golang'],
  [/\.rs$/iu, 'rust'],
];

const splitName = (path: string) =>
  path.replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2').replace(/[^\p{L}\p{N}]+/gu, ' ');

/** The terms of a text that tell one task from another; words for the same part of work are one term. */
function termsIn(text: string): Set<string> {
  const joined = text
    .replace(/\b(?:pull|merge)[ -]requests?\b/giu, 'PR')
    .replace(/\broll(?:ed|ing)? out\b/giu, 'rollout');
  const terms = analyze(joined).filter((term) => !general.has(term) && !/^\d+$/u.test(term));
  return new Set(terms.map((term) => kinds.get(term) ?? term));
}

/** The terms of files to be touched: the words of their paths and the kinds of work that their names show. */
export function termsOfFiles(files: readonly string[]): Set<string> {
  const shown = files.flatMap((file) =>
    kindsOfFiles.filter(([end]) => end.test(file)).map(([, kind]) => kind),
  );
  return termsIn([...files.map(splitName), ...files, ...shown].join('\n'));
}

export const termsOfTask = termsIn;

/** A rule of up to this many terms fits by one of them, a longer one by two. */
const shortMax = 4;

/** Whether a task is about the subject of a pattern, by the words of both. */
export function fitsWords({ name, description, edited }: PatternSummary, task: ReadonlySet<string>): boolean {
  if (task.size === 0) return false;
  const terms = termsIn(edited.includes('description') ? `${name} ${description}` : name);
  let shared = 0;
  for (const term of terms) if (task.has(term)) shared++;
  return shared > 0 && (terms.size <= shortMax || shared > 1);
}

const onAnswers =
  /\b(?:answers?|answering|repl(?:y|ies|ying)|respond(?:ing)?|responses?|emojis?|apologi[sz]\p{L}*|call me|address me|tone of voice|questions? at a time)\b/iu;
const elsewhere =
  /\b(?:documentation|docs|commits?|commit messages|code|comments?|tests?|pull requests?|prs?|logs?|errors?|apis?|endpoints?|emails?|invoices?|https?|servers?|when|if|for|customers?)\b/iu;

/** Whether a rule is about how to answer the user, which every task ends with: "answer in German". */
export const isOnAnswers = ({ type, owner, name }: PatternSummary): boolean =>
  owner === 'user' &&
  (type === 'rule' || type === 'correction' || type === 'preference') &&
  onAnswers.test(name) &&
  !elsewhere.test(name);
