import { groupBy } from '../../../lib/collections.ts';
import { Breather } from '../../../lib/loop-time.ts';
import type { EpochMs } from '../../shared/time.ts';
import { confidenceOf, type FoundPattern, type SourceMemory, topicOfMost } from './found-pattern.ts';

/** Kinds of work, and the words that show them. */
const work: readonly (readonly [string, RegExp])[] = [
  ['deploy', /\b(?:deploy(?:ed|ing|s|ment)?|shipped|rolled out|released?|releasing)\b/iu],
  [
    'test',
    /\b(?:tests?|tested|testing) (?:pass|passed|run|ran|green|failed|added)|\b(?:ran|run|added|wrote) (?:the |new )?tests?\b/iu,
  ],
  ['fix', /\b(?:fixed|fixing|bugfix|hotfix|patched|resolved)\b/iu],
  ['review', /\b(?:code review|reviewed|reviewing|pull request)\b/iu],
  ['plan', /\b(?:planned|planning|roadmap|kick-?off)\b/iu],
  ['migrate', /\b(?:migrat(?:ed|ion|ing))\b/iu],
  ['back up', /\b(?:backups?|backed up)\b/iu],
  ['roll back', /\b(?:rolled back|rollback|reverted)\b/iu],
  ['research', /\b(?:researched|investigated|looked into)\b/iu],
  ['write', /\b(?:documented|drafted|wrote (?:the )?(?:docs|report|draft))\b/iu],
];
const conversationsMin = 3;
/** Share of the conversations with the first step in which the second follows. */
const followShareMin = 0.5;
/** Frequency of the second step after the first, relative to all conversations. */
const liftMin = 1.3;
const labelsOfMemoryMax = 8;

interface Step {
  readonly label: string;
  readonly source: SourceMemory;
}

/** Steps that follow each other in at least three conversations: kinds of work and topics of consecutive memories. */
export async function foundInSequences(
  sources: readonly SourceMemory[],
  newest: EpochMs,
): Promise<FoundPattern[]> {
  const breather = new Breather();
  const live = sources.filter(({ isPast }) => !isPast);
  const conversations = [...groupBy(live, ({ conversationId }) => conversationId).values()].map((own) =>
    [...own].sort((a, b) => a.at - b.at),
  );
  const having = new Map<string, number>();
  const pairs = new Map<string, { from: string; to: string; shown: SourceMemory[] }>();
  for (const own of conversations) {
    const labels = await labelsOfEach(own, breather);
    for (const label of new Set(labels.flat())) having.set(label, (having.get(label) ?? 0) + 1);
    for (const [key, pair] of await pairsOf(own, labels, breather)) {
      const known = pairs.get(key);
      if (known) known.shown.push(pair.to.source);
      else pairs.set(key, { from: pair.from.label, to: pair.to.label, shown: [pair.to.source] });
    }
  }
  const found: FoundPattern[] = [];
  for (const [key, { from, to, shown }] of pairs) {
    const pause = breather.pause();
    if (pause) await pause;
    const ofFirst = having.get(from) ?? 0;
    const share = shown.length / ofFirst;
    const lift = share / ((having.get(to) ?? 0) / conversations.length);
    if (shown.length < conversationsMin || share < followShareMin || lift < liftMin) continue;
    found.push(toSequence(key, { from, to, shown, ofFirst, newest }));
  }
  return found;
}

async function labelsOfEach(own: readonly SourceMemory[], breather: Breather): Promise<string[][]> {
  const labels: string[][] = [];
  for (const source of own) {
    labels.push(labelsOf(source));
    const pause = breather.pause();
    if (pause) await pause;
  }
  return labels;
}

/** Pairs of a step and the next in one conversation, each kind once. */
async function pairsOf(
  own: readonly SourceMemory[],
  labels: readonly (readonly string[])[],
  breather: Breather,
): Promise<Map<string, { from: Step; to: Step }>> {
  const pairs = new Map<string, { from: Step; to: Step }>();
  for (const [i, source] of own.slice(1).entries()) {
    for (const from of labels[i])
      for (const to of labels[i + 1]) {
        const key = `sequence|user|${from} > ${to}`;
        if (from !== to && !pairs.has(key))
          pairs.set(key, { from: { label: from, source: own[i] }, to: { label: to, source } });
      }
    const pause = breather.pause();
    if (pause) await pause;
  }
  return pairs;
}

function labelsOf({ content, topics }: SourceMemory): string[] {
  const text = content.slice(0, 2000);
  const kinds = work.filter(([, words]) => words.test(text)).map(([kind]) => kind);
  return [...new Set([...kinds, ...topics])].slice(0, labelsOfMemoryMax);
}

function toSequence(
  key: string,
  {
    from,
    to,
    shown,
    ofFirst,
    newest,
  }: { from: string; to: string; shown: readonly SourceMemory[]; ofFirst: number; newest: EpochMs },
): FoundPattern {
  const inOrder = [...shown].sort((a, b) => a.at - b.at);
  const occurrences = inOrder.map((source) => ({ ...source, isHedged: false }));
  return {
    key: key.slice(0, 400),
    type: 'sequence',
    owner: 'user',
    target: `${from}, then ${to}`,
    against: null,
    isNegated: false,
    name: `After ${from}: ${to}`,
    description: `In ${shown.length} of ${ofFirst} conversations about ${from}, ${to} comes next.`,
    context: topicOfMost(shown),
    confidence: confidenceOf('sequence', occurrences, { contradictions: ofFirst - shown.length, newest }),
    wordedBy: inOrder[0].id,
    evidence: inOrder.map(({ id, at }) => ({ memoryId: id, at })),
  };
}
