import { Breather } from '../../../lib/breather.ts';
import { groupBy } from '../../../lib/group-by.ts';
import type { EpochMs } from '../../shared/time.ts';
import { confidenceOf } from './confidence.ts';
import { topicOfMost } from './found-in-claims.ts';
import type { Found, Source } from './source.ts';

/** Kinds of work that memories tell of, by the words for them. */
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
/** Of the conversations that have the first, so many have the second after it. */
const followShareMin = 0.5;
/** How much oftener than by chance. */
const liftMin = 1.3;
const labelsOfMemoryMax = 8;

interface Step {
  readonly label: string;
  readonly source: Source;
}

/** What follows what in conversations: kinds of work and topics of consecutive memories, in three conversations or more. */
export async function foundInSequences(sources: readonly Source[], newest: EpochMs): Promise<Found[]> {
  const breather = new Breather();
  const live = sources.filter(({ isPast }) => !isPast);
  const conversations = [...groupBy(live, ({ conversationId }) => conversationId).values()].map((own) =>
    [...own].sort((a, b) => a.at - b.at),
  );
  const having = new Map<string, number>();
  const pairs = new Map<string, { from: string; to: string; shown: Source[] }>();
  for (const own of conversations) {
    const labels = await labelsOfEach(own, breather);
    for (const label of new Set(labels.flat())) having.set(label, (having.get(label) ?? 0) + 1);
    for (const [key, pair] of await pairsOf(own, labels, breather)) {
      const known = pairs.get(key);
      if (known) known.shown.push(pair.to.source);
      else pairs.set(key, { from: pair.from.label, to: pair.to.label, shown: [pair.to.source] });
    }
  }
  const found: Found[] = [];
  for (const [key, { from, to, shown }] of pairs) {
    const pause = breather.pause();
    if (pause) await pause;
    const ofFirst = having.get(from) ?? 0;
    const share = shown.length / ofFirst;
    const lift = share / ((having.get(to) ?? 0) / conversations.length);
    if (shown.length < conversationsMin || share < followShareMin || lift < liftMin) continue;
    found.push(toFound(key, { from, to, shown, ofFirst, newest }));
  }
  return found;
}

async function labelsOfEach(own: readonly Source[], breather: Breather): Promise<string[][]> {
  const labels: string[][] = [];
  for (const source of own) {
    labels.push(labelsOf(source));
    const pause = breather.pause();
    if (pause) await pause;
  }
  return labels;
}

/** One pair of each kind in a conversation: a step and the next. */
async function pairsOf(
  own: readonly Source[],
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

function labelsOf({ content, topics }: Source): string[] {
  const text = content.slice(0, 2000);
  const kinds = work.filter(([, words]) => words.test(text)).map(([kind]) => kind);
  return [...new Set([...kinds, ...topics])].slice(0, labelsOfMemoryMax);
}

function toFound(
  key: string,
  {
    from,
    to,
    shown,
    ofFirst,
    newest,
  }: { from: string; to: string; shown: readonly Source[]; ofFirst: number; newest: EpochMs },
): Found {
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
