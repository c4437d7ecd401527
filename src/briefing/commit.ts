import { groupBy } from '../lib/collections.ts';
import { hideSecrets } from '../lib/hide-secrets.ts';
import { decisionsIn, textsOf } from './decisions.ts';

/** UTF-16 units of a message, a diff and a transcript, each; longer ones are refused. */
export const commitTextLengthMax = 1_000_000;

/** A commit as a hook of git reports it. */
export interface GitCommit {
  readonly sha: string;
  readonly shortSha?: string;
  readonly branch?: string;
  readonly message: string;
  readonly author?: string;
  readonly filesChanged: readonly string[];
  readonly insertions?: number;
  readonly deletions?: number;
  readonly isMergeCommit?: boolean;
}

/** The work of an agent that led to the commit. */
interface AgentSession {
  readonly agent?: string;
  readonly model?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly count: number }[];
  readonly totalToolCalls?: number;
  /** The prompts of the session. */
  readonly recentPrompts?: readonly string[];
  readonly errors?: readonly string[];
}

export interface CommitReport {
  readonly git: GitCommit;
  readonly session?: AgentSession;
  readonly diff?: string;
  /** Text, or a line of JSON for each message. */
  readonly transcript?: string;
}

export interface CommitSummary {
  readonly content: string;
  /** At most 200 UTF-16 units. */
  readonly context: string;
  readonly topics: readonly string[];
  /** The reason why the commit has nothing to remember, in a sentence. */
  readonly skipReason: string | undefined;
}

const subjectLengthMax = 300;
const messageLengthMax = 3000;
const messageReadMax = 10_000;
const lineLengthMax = 300;
const promptsMax = 5;
const errorsMax = 8;
const decisionsMax = 8;
const definitionsMax = 15;
const toolsMax = 8;
const contextLengthMax = 200;
const topicLengthMax = 100;

/**
 * A commit's changes and reasons, extracted from its message, session
 * and diff without a language model. At most 12,000 UTF-16 units.
 */
export function summarizeCommit({ git, session, diff, transcript }: CommitReport): CommitSummary {
  const { subject, body } = messageOf(git);
  const said = [...textsOf(transcript ?? ''), body];
  const parts = [
    `${headOf(git)}: ${subject}`,
    body,
    changesOf(git),
    listOf('Definitions changed in', definitionsIn(diff ?? '')),
    listOf('Requested', session?.recentPrompts?.slice(-promptsMax)),
    listOf('Decisions and reasons', decisionsIn(said, decisionsMax)),
    listOf('Errors on the way', [...new Set(session?.errors)].slice(0, errorsMax)),
    workOf(session),
  ];
  return {
    content: parts.filter((part) => part !== '').join('\n\n'),
    context: cut(`Commit ${shortShaOf(git)}${git.branch ? ` on ${git.branch}` : ''}`, contextLengthMax),
    topics: ['commit-context', ...(session?.agent ? [cut(session.agent, topicLengthMax)] : [])],
    skipReason: skipReasonOf(git, session),
  };
}

function skipReasonOf(git: GitCommit, session: AgentSession | undefined): string | undefined {
  if (session?.recentPrompts?.length || session?.errors?.length) return undefined;
  if (
    git.isMergeCommit &&
    /^Merge (?:branch|pull request|remote-tracking|tag)\b[^\n]*$/.test(git.message.trim())
  )
    return 'A merge without a message of its own says nothing that its commits do not.';
  if (git.filesChanged.length === 0) return 'The commit changes no file.';
  return undefined;
}

function shortShaOf({ sha, shortSha }: GitCommit): string {
  return shortSha || sha.slice(0, 7);
}

/** Secrets are masked before the text is split, because a private key spans several lines. */
function messageOf({ message }: GitCommit): { readonly subject: string; readonly body: string } {
  const shown = hideSecrets(message.trim().slice(0, messageReadMax));
  const [first = '', ...rest] = shown.split('\n');
  return {
    subject: cut(first.trim(), subjectLengthMax),
    body: cut(rest.join('\n').trim(), messageLengthMax),
  };
}

function headOf(git: GitCommit): string {
  const branch = git.branch ? ` on ${cut(git.branch, lineLengthMax)}` : '';
  const author = git.author ? ` by ${cut(git.author, lineLengthMax)}` : '';
  return `${git.isMergeCommit ? 'Merge commit' : 'Commit'} ${shortShaOf(git)}${branch}${author}`;
}

function changesOf({ filesChanged, insertions, deletions }: GitCommit): string {
  if (filesChanged.length === 0) return '';
  const counts = [
    `${filesChanged.length} ${filesChanged.length === 1 ? 'file' : 'files'}`,
    ...(insertions === undefined ? [] : [`${insertions} insertions`]),
    ...(deletions === undefined ? [] : [`${deletions} deletions`]),
  ];
  const lines = filesByFolder(filesChanged).map((line) => cut(line, 2 * lineLengthMax));
  return `Changed: ${counts.join(', ')}\n${lines.join('\n')}`;
}

/** Location of a change in git's output: the text after the second `@@` of each hunk. */
function definitionsIn(diff: string): string[] {
  const found = new Set<string>();
  for (const [, definition] of diff.matchAll(/^@@ [^@\n]{1,60} @@ (\S[^\n]*)$/gm)) {
    found.add(definition.trim());
    if (found.size === definitionsMax) break;
  }
  return [...found];
}

function workOf(session: AgentSession | undefined): string {
  if (!session?.agent) return '';
  const tools = [...(session.toolCalls ?? [])]
    .sort((a, b) => b.count - a.count)
    .slice(0, toolsMax)
    .map(({ name, count }) => `${cut(name, lineLengthMax)} ${count}`);
  const model = session.model ? ` (${session.model})` : '';
  const calls = session.totalToolCalls ? `, ${session.totalToolCalls} tool calls` : '';
  return `Made with ${session.agent}${model}${calls}${tools.length > 0 ? `: ${tools.join(', ')}` : ''}`;
}

function listOf(title: string, items: readonly string[] | undefined): string {
  const lines = (items ?? []).map((item) => cut(item, lineLengthMax).replace(/\s+/g, ' ').trim());
  const shown = lines.filter((line) => line !== '').map((line) => `- ${line}`);
  return shown.length === 0 ? '' : `${title}:\n${shown.join('\n')}`;
}

/**
 * The beginning of a text, without secrets: they are hidden
 * before the cut, since half a secret is not recognized.
 */
function cut(text: string, max: number): string {
  const shown = hideSecrets(text.slice(0, 2 * max));
  if (shown.length <= max && text.length <= 2 * max) return shown;
  return `${shown.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

const foldersMax = 12;
const depthMax = 4;
const namesMax = 6;

interface Folder {
  readonly path: string;
  readonly files: readonly string[];
}

/** Lines such as `- src/http (3 files): app.ts, routes/index.ts, services.ts`, folders in the order of their names. */
function filesByFolder(files: readonly string[]): string[] {
  const folders = foldersOf([...new Set(files)].sort());
  const shown = folders.slice(0, foldersMax).map(({ path, files: inside }) => {
    const names = inside
      .slice(0, namesMax)
      .map((file) => (path === '.' ? file : file.slice(path.length + 1)));
    const more = inside.length > namesMax ? ` and ${inside.length - namesMax} more` : '';
    return `- ${path} (${inside.length} ${inside.length === 1 ? 'file' : 'files'}): ${names.join(', ')}${more}`;
  });
  const rest = folders.slice(foldersMax);
  const count = rest.reduce((sum, { files: inside }) => sum + inside.length, 0);
  return count === 0 ? shown : [...shown, `- ${rest.length} more folders (${count} files)`];
}

/** The deepest level that keeps the number of folders readable. */
function foldersOf(files: readonly string[]): Folder[] {
  for (let depth = depthMax; ; depth--) {
    const folders = groupedTo(depth, files);
    if (folders.length <= foldersMax || depth === 1) return folders;
  }
}

function groupedTo(depth: number, files: readonly string[]): Folder[] {
  const folderOf = (file: string) => file.split('/').slice(0, -1).slice(0, depth).join('/') || '.';
  return [...groupBy(files, folderOf)].map(([path, inside]) => ({ path, files: inside }));
}
