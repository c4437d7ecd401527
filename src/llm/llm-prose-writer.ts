import type { RuleJudge, RuleJudgement, RuleToJudge, TaskOfRules } from '../domain/patterns/rule-judge.ts';
import type { Headings, Prose, ProseSentence, ProseWriter } from '../domain/prose/prose-writer.ts';
import { type BackgroundAsks, isAnswered } from './background-asks.ts';
import { mayBeShown } from './check/check-prose.ts';
import { addressesNoModel } from './check/quotes.ts';
import type { Proposer } from './proposer.ts';

/** Maximum statements of one request. */
const statementsMax = 60;
const rulesMax = 40;
const ruleLengthMax = 500;
const filesMax = 20;
const fileLengthMax = 200;
const queryLengthMax = 2000;

const nothingToAsk = {
  reason: 'No statement can be put into other words: they are questions, conditions or orders.',
};
const nothingTrue = { reason: 'No sentence of the LLM says what the statements say.' };
const noHeading = { reason: 'No heading of the LLM has words of its group alone.' };
const noRule = { reason: 'There is no rule that an LLM may judge.' };

export interface LlmProseWriterDeps {
  readonly llm: Pick<Proposer, 'writeProse' | 'nameGroups' | 'judgeRules' | 'inputMax'>;
  readonly asks: BackgroundAsks;
}

/**
 * Words digests and judges rules with an LLM, which is asked in the background. What it answers is checked, then kept
 * as positions, without text.
 */
export class LlmProseWriter implements ProseWriter, RuleJudge {
  readonly #deps: LlmProseWriterDeps;

  constructor(deps: LlmProseWriterDeps) {
    this.#deps = deps;
  }

  proseOf(userId: number, statements: readonly string[]): Prose {
    const { llm, asks } = this.#deps;
    const sent = this.#sentOf(statements);
    if (sent.length === 0) return nothingToAsk;
    const answer = asks.answerTo('digest_prose', [userId, statements], async () => {
      const sentences = await llm.writeProse(sent.map((index) => statements[index]));
      return sentences.map((sentence) => withIndices(sentence, sent));
    });
    if (!isAnswered(answer)) return answer;
    return answer.value.length === 0 ? nothingTrue : { sentences: answer.value };
  }

  headingsOf(userId: number, groups: readonly (readonly string[])[]): Headings {
    const { llm, asks } = this.#deps;
    const sent = this.#sentOf(groups.flat());
    if (sent.length === 0) return nothingToAsk;
    const answer = asks.answerTo('digest_headings', [userId, groups], async () => {
      const shown = groupsOf(groups, sent);
      const headings = await llm.nameGroups(shown.map(({ texts }) => texts));
      return headings.map(({ group, sentence }) => ({
        group: shown[group].group,
        sentence: withIndices(sentence, sent),
      }));
    });
    if (!isAnswered(answer)) return answer;
    return answer.value.length === 0 ? noHeading : { headings: answer.value };
  }

  judgementOf(
    userId: number,
    { query, context, files }: TaskOfRules,
    rules: readonly RuleToJudge[],
  ): RuleJudgement {
    const { llm, asks } = this.#deps;
    const task = {
      query: query.slice(0, queryLengthMax),
      context,
      files: files.slice(0, filesMax).map((file) => file.slice(0, fileLengthMax)),
    };
    let left = llm.inputMax - JSON.stringify(task).length;
    const shown = rules
      .map((rule, index) => ({ ...rule, index }))
      .filter(({ text }) => text.length <= ruleLengthMax && addressesNoModel(text))
      .slice(0, rulesMax)
      .filter(({ text }) => {
        left -= text.length;
        return left >= 0;
      });
    const isOfTask = [query, ...context, ...files].every(addressesNoModel);
    if (shown.length === 0 || !isOfTask) return noRule;
    const answer = asks.answerTo('rules_judged', [userId, task, rules], async () => {
      const judged = await llm.judgeRules(task, shown);
      return judged.map(({ index, applies }) => ({ index: shown[index].index, applies }));
    });
    return isAnswered(answer) ? { changes: answer.value } : answer;
  }

  /** Indices of the statements to send: the first ones that may be shown and that fit into one request. */
  #sentOf(statements: readonly string[]): number[] {
    const sent: number[] = [];
    let left = this.#deps.llm.inputMax;
    for (const [index, statement] of statements.entries()) {
      if (sent.length === statementsMax || left < statement.length) break;
      if (!mayBeShown(statement)) continue;
      sent.push(index);
      left -= statement.length;
    }
    return sent;
  }
}

/** The statements that are sent, by their groups. */
function groupsOf(groups: readonly (readonly string[])[], sent: readonly number[]) {
  let first = 0;
  return groups.flatMap((texts, group) => {
    const from = first;
    first += texts.length;
    const own = sent.filter((index) => index >= from && index < first).map((index) => texts[index - from]);
    return own.length === 0 ? [] : [{ group, texts: own }];
  });
}

/** Converts indices of the statements sent to indices of all statements. */
function withIndices({ statements, parts }: ProseSentence, sent: readonly number[]): ProseSentence {
  return {
    statements: statements.map((index) => sent[index]),
    parts: parts.map((part) =>
      typeof part === 'string' ? part : { ...part, statement: sent[part.statement] },
    ),
  };
}
