import { useLocation } from 'preact-iso';
import {
  type ContextAnswer,
  ContextText,
  cutOf,
  type DigestAnswer,
  DigestText,
  type InstructionsAnswer,
  InstructionsText,
} from '../briefing/answers.tsx';
import { resultIn } from '../briefing/cited.ts';
import { Patterns, useEvidence } from '../briefing/patterns.tsx';
import { budgetIn, budgets, formats, kindIn, kinds, type MadeKind, requestOf } from '../briefing/requests.ts';
import { type Made, useMade } from '../briefing/use-made.ts';
import { Shown } from '../frame/states.tsx';
import { words } from '../words/words.ts';

type Answer = DigestAnswer | ContextAnswer | InstructionsAnswer;
type Address = Readonly<Record<string, string | undefined>>;

function addressOf(address: Address): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(address)) if (value) parameters.set(name, value);
  return `/ui/briefing?${parameters}`;
}

/** What an agent would get for a task: a digest, a context or instructions, and the patterns behind them. */
export function BriefingView() {
  const { query } = useLocation();
  const kind = kindIn(query);
  const text = words().briefing;
  return (
    <section aria-labelledby="briefing-title">
      <div class="bar">
        <h1 id="briefing-title">{words().views.briefing}</h1>
        {kinds.map((name) => (
          <a
            key={name}
            href={addressOf({ ...query, kind: name, budget: undefined })}
            aria-current={name === kind ? 'page' : undefined}
          >
            {text.kinds[name]}
          </a>
        ))}
      </div>
      {kind === 'patterns' ? <Patterns /> : <MadeView key={kind} kind={kind} />}
    </section>
  );
}

const readers: Readonly<Record<MadeKind, (body: string) => Answer>> = {
  digest: (body) => resultIn<DigestAnswer>(body),
  context: (body) => JSON.parse(body) as ContextAnswer,
  instructions: (body) => JSON.parse(body) as InstructionsAnswer,
};

function MadeView({ kind }: { readonly kind: MadeKind }) {
  const { query } = useLocation();
  const made = useMade<Answer>(requestOf(query, kind), readers[kind]);
  return (
    <div class="briefing">
      <Asked kind={kind} made={made} />
      <Gets kind={kind} made={made} budget={budgetIn(query, kind)} />
    </div>
  );
}

interface AskedProps {
  readonly kind: MadeKind;
  readonly made: Made<Answer>;
}

/** What the agent says that it is about; the address has it, so that a link gives the same. */
function Asked({ kind, made }: AskedProps) {
  const { query, route } = useLocation();
  const text = words().briefing;
  const { min, max } = budgets[kind];
  const submit = (event: Event) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    const of = (name: string) => String(fields.get(name) ?? '');
    const to = addressOf({
      kind,
      q: of('q'),
      files: of('files'),
      budget: of('budget'),
      format: of('format'),
    });
    if (to === addressOf(query)) made.start();
    else route(to);
  };
  return (
    <form onSubmit={submit} key={addressOf(query)}>
      <label>
        {text.asks[kind]}
        <textarea
          name="q"
          rows={3}
          maxLength={2000}
          required={kind !== 'instructions'}
          defaultValue={query.q}
        />
      </label>
      {kind === 'digest' ? (
        <label>
          {text.format}
          <select name="format">
            {formats.map((format) => (
              <option key={format} value={format} selected={format === query.format}>
                {text.formats[format]}
              </option>
            ))}
          </select>
        </label>
      ) : (
        <label>
          {text.files}
          <textarea name="files" rows={2} defaultValue={query.files} />
        </label>
      )}
      <label>
        {text.budget}
        <input type="number" name="budget" min={min} max={max} defaultValue={String(budgetIn(query, kind))} />
      </label>
      <div class="bar">
        <button type="submit">{made.state === 'stopped' ? text.again : text.make}</button>
        {made.state === 'making' && (
          <button type="button" onClick={made.stop}>
            {text.stop}
          </button>
        )}
      </div>
    </form>
  );
}

interface GetsProps extends AskedProps {
  readonly budget: number;
}

function Gets({ kind, made, budget }: GetsProps) {
  const text = words().briefing;
  const { state, data, error, start } = made;
  return (
    <section aria-label={text.gets} aria-busy={state === 'making'}>
      <p role="status" class="hint">
        {state === 'idle' && text.idle}
        {state === 'making' && text.making}
        {state === 'stopped' && text.stopped}
      </p>
      {(state === 'failed' || state === 'made') && (
        <Shown of={{ data, error, isFetching: false, retry: start }}>
          {(answer) => <Shape kind={kind} answer={answer} budget={budget} />}
        </Shown>
      )}
    </section>
  );
}

interface ShapeProps {
  readonly kind: MadeKind;
  readonly answer: Answer;
  readonly budget: number;
}

function Shape({ kind, answer, budget }: ShapeProps) {
  const evidenceOf = useEvidence(kind !== 'instructions');
  const text = words().briefing;
  const { tokens, cut, body } = shapeOf(answer, evidenceOf);
  return (
    <>
      <p>
        <meter min={0} max={budget} value={tokens} aria-label={text.tokens(tokens, budget)} />{' '}
        <span data-tokens={tokens}>{text.tokens(tokens, budget)}</span>
      </p>
      {body}
      <h2>{text.cut}</h2>
      {cut.length === 0 ? (
        <p>{text.nothingCut}</p>
      ) : (
        <ul>
          {cut.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function shapeOf(answer: Answer, evidenceOf: (patternId: string) => readonly string[]) {
  if ('digest' in answer)
    return {
      tokens: answer.metadata.tokens,
      cut: cutOf.digest(answer),
      body: <DigestText answer={answer} />,
    };
  if ('meta' in answer)
    return { tokens: answer.meta.tokens, cut: cutOf.context(answer), body: <ContextText answer={answer} /> };
  return {
    tokens: answer.tokenCount,
    cut: cutOf.instructions(answer),
    body: <InstructionsText answer={answer} evidenceOf={evidenceOf} />,
  };
}
