import type { ComponentChildren } from 'preact';
import { ForeignText } from '../text/foreign-text.tsx';
import { addressOfMemory } from '../views/memory-row.tsx';
import { words } from '../words/words.ts';
import { citedParts } from './cited.ts';

export interface DigestAnswer {
  readonly digest: string;
  readonly metadata: {
    readonly sourcesConsidered: number;
    readonly sourcesUsed: number;
    readonly tokens: number;
    readonly statementsOmitted: number;
    readonly truncated?: boolean;
  };
  readonly sources: readonly { readonly memoryId: string; readonly relevance: number }[];
}

export interface ContextAnswer {
  readonly activeWork: {
    readonly title: string | null;
    readonly lastMemory: { readonly id: string; readonly summary: string };
  } | null;
  readonly relevantMemories: readonly {
    readonly id: string;
    readonly content: string;
    readonly date: string;
    readonly shortened?: boolean;
  }[];
  readonly relevantFacts: readonly {
    readonly subject: string;
    readonly predicate: string;
    readonly object: string;
    readonly sourceMemoryId: string;
  }[];
  readonly gotchas: readonly { readonly fact: string; readonly sourceMemories: readonly string[] }[];
  readonly open?: readonly Activity[];
  readonly recentActivity: readonly Activity[];
  readonly relatedPatterns: readonly { readonly pattern: string }[];
  readonly meta: {
    readonly tokens: number;
    readonly omitted?: Readonly<Record<string, number>>;
    readonly timedOutSections?: readonly string[];
    readonly failedSections?: readonly string[];
  };
}

interface Activity {
  readonly id: string;
  readonly summary: string;
  readonly date: string;
}

export interface InstructionsAnswer {
  readonly instructions: readonly { readonly patternId: string; readonly instruction: string }[];
  readonly summary: string;
  readonly tokenCount: number;
  readonly conflictsResolved: readonly unknown[];
  readonly pendingCount: number;
  readonly patternsExcluded: number;
}

const Source = ({ id, label }: { readonly id: string; readonly label?: string }) => (
  <a class="source" href={addressOfMemory(id)} data-source={id}>
    {label ?? id.slice(0, 8)}
  </a>
);

/** The text of a digest; the number behind each sentence opens its memory. */
export function DigestText({ answer: { digest, sources } }: { readonly answer: DigestAnswer }) {
  const parts = citedParts(digest, sources.length);
  return (
    <div class="content fenced">
      {parts.map((part, i) => {
        if ('text' in part) return <ForeignText key={`${i} text`} text={part.text} isWhole />;
        const source = sources[part.source - 1];
        return source && <Source key={`${i} source`} id={source.memoryId} label={`[${part.source}]`} />;
      })}
    </div>
  );
}

/** The sections of a context, each line with the memory that says it. */
export function ContextText({ answer }: { readonly answer: ContextAnswer }) {
  const { activeWork, open = [] } = answer;
  const day = (date: string) => date.slice(0, 10);
  const activity = ({ id, summary, date }: Activity) => (
    <Line key={id} text={`${day(date)} ${summary}`} sources={[id]} />
  );
  return (
    <div class="fenced">
      <Section name="activeWork" isShown={activeWork !== null}>
        {activeWork && (
          <Line
            text={`${activeWork.title ?? ''} ${activeWork.lastMemory.summary}`.trim()}
            sources={[activeWork.lastMemory.id]}
          />
        )}
      </Section>
      <Section name="relevantMemories" isShown={answer.relevantMemories.length > 0}>
        {answer.relevantMemories.map(({ id, content, date }) => (
          <Line key={id} text={`${day(date)} ${content}`} sources={[id]} />
        ))}
      </Section>
      <Section name="gotchas" isShown={answer.gotchas.length > 0}>
        {answer.gotchas.map(({ fact, sourceMemories }) => (
          <Line key={fact} text={fact} sources={sourceMemories} />
        ))}
      </Section>
      <Section name="relatedPatterns" isShown={answer.relatedPatterns.length > 0}>
        {answer.relatedPatterns.map(({ pattern }) => (
          <Line key={pattern} text={pattern} sources={[]} />
        ))}
      </Section>
      <Section name="open" isShown={open.length > 0}>
        {open.map(activity)}
      </Section>
      <Section name="relevantFacts" isShown={answer.relevantFacts.length > 0}>
        {answer.relevantFacts.map(({ subject, predicate, object, sourceMemoryId }) => (
          <Line
            key={`${subject} ${predicate} ${object}`}
            text={`${subject} ${predicate} ${object}`}
            sources={sourceMemoryId === '' ? [] : [sourceMemoryId]}
          />
        ))}
      </Section>
      <Section name="recentActivity" isShown={answer.recentActivity.length > 0}>
        {answer.recentActivity.map(activity)}
      </Section>
    </div>
  );
}

interface SectionProps {
  readonly name: string;
  readonly isShown: boolean;
  readonly children: ComponentChildren;
}

function Section({ name, isShown, children }: SectionProps) {
  if (!isShown) return null;
  return (
    <>
      <h2>{words().briefing.sections[name] ?? name}</h2>
      <ul class="plain">{children}</ul>
    </>
  );
}

function Line({ text, sources }: { readonly text: string; readonly sources: readonly string[] }) {
  return (
    <li>
      <ForeignText text={text} isWhole />{' '}
      {sources.map((id) => (
        <Source key={id} id={id} />
      ))}
    </li>
  );
}

interface InstructionsProps {
  readonly answer: InstructionsAnswer;
  /** The memories behind a pattern. */
  readonly evidenceOf: (patternId: string) => readonly string[];
}

export function InstructionsText({ answer, evidenceOf }: InstructionsProps) {
  if (answer.instructions.length === 0) return <p class="fenced">{answer.summary}</p>;
  return (
    <ul class="plain fenced">
      {answer.instructions.map(({ patternId, instruction }) => (
        <Line key={patternId} text={instruction} sources={evidenceOf(patternId)} />
      ))}
    </ul>
  );
}

/** What an answer has, and what it leaves out, one line each. */
export const cutOf = {
  digest: ({ metadata }: DigestAnswer): string[] => {
    const text = words().briefing;
    const unused = metadata.sourcesConsidered - metadata.sourcesUsed;
    return [
      ...(metadata.statementsOmitted > 0 ? [text.statements(metadata.statementsOmitted)] : []),
      ...(unused > 0 ? [text.sourcesUnused(unused)] : []),
      ...(metadata.truncated ? [text.sourcesEnded] : []),
    ];
  },
  context: ({ relevantMemories, meta }: ContextAnswer): string[] => {
    const text = words().briefing;
    const nameOf = (section: string) => text.sections[section] ?? section;
    const shortened = relevantMemories.filter((memory) => memory.shortened).length;
    return [
      ...Object.entries(meta.omitted ?? {}).map(([section, n]) => text.items(n, nameOf(section))),
      ...(shortened > 0 ? [text.shortened(shortened)] : []),
      ...(meta.timedOutSections ?? []).map((section) => text.late(nameOf(section))),
      ...(meta.failedSections ?? []).map((section) => text.failed(nameOf(section))),
    ];
  },
  instructions: ({ patternsExcluded, pendingCount, conflictsResolved }: InstructionsAnswer): string[] => {
    const text = words().briefing;
    return [
      ...(patternsExcluded > 0 ? [text.excluded(patternsExcluded)] : []),
      ...(pendingCount > 0 ? [text.pending(pendingCount)] : []),
      ...(conflictsResolved.length > 0 ? [text.conflicts(conflictsResolved.length)] : []),
    ];
  },
};
