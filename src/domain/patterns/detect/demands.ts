import { type Framed, frameOf, isOfOthers } from './frames.ts';
import { type Demanded, forms, imperative, isCalled, type Origin } from './rule-forms.ts';
import { beginsWithVerb, isAboutWork, isGeneral, isOfKind, isOnce, isStandingWish } from './standing.ts';

/** The text around a sentence, by which the sentence is believed more or less. */
export interface Place extends Pick<Origin, 'isDocument'> {
  /** Of an assistant or of a commit: only demands of a named user count. */
  readonly isToOthers: boolean;
}

/** A demand that holds from now on. */
export interface Demand extends Demanded {
  readonly type: 'rule' | 'correction' | 'preference';
}

const firstOf = (text: string, origin: Origin, among = forms) => {
  for (const each of among) {
    const demand = each(text, origin);
    if (demand) return demand;
  }
  return undefined;
};

const asked: Origin = { isAsked: true, isDocument: false };
const past = /^(?:\p{L}+\s+){0,4}?(?:was|were|had|did|went|\p{L}{3,}ed)\b/iu;

/**
 * The standing demand that a sentence states, in words of the user ("never deploy on Fridays") or of an agent ("the user
 * wants ..."); undefined for requests for once, for words of others and for plain statements. `null`: the sentence names
 * a wish of the user that is no demand.
 */
export function demandIn(sentence: string, { isDocument, isToOthers }: Place): Demand | null | undefined {
  if (isOfOthers(sentence)) return null;
  const framed = frameOf(sentence);
  if (!framed) {
    if (isToOthers) return undefined;
    const demand = firstOf(sentence, { isAsked: false, isDocument });
    return demand && { type: 'rule', ...demand };
  }
  return framedDemand(framed) ?? null;
}

function framedDemand(framed: Framed): Demand | undefined {
  const { body, verb } = framed;
  switch (verb) {
    case 'want':
      return wishedFor(framed);
    case 'told':
      return orderedBy(framed);
    case 'decided':
      return isGeneral(body) && !past.test(body)
        ? { type: 'rule', target: body, isNegated: false }
        : undefined;
    case 'corrected':
      return corrected(body);
    case 'said':
    case 'named': {
      if (framed.isOfPronoun && !isAboutWork(body) && !isGeneral(body)) return undefined;
      const demand = firstOf(body, asked);
      if (demand) return { type: 'rule', ...demand };
      const isRule = verb === 'named' && !past.test(body) && !isOnce(body);
      return isRule ? { type: 'rule', target: body, isNegated: false } : undefined;
    }
  }
}

function orderedBy({ body, isNegated }: Framed): Demand | undefined {
  const bare = body.replace(/^(?:always|never|do not)\s+/iu, '');
  const isStrict = (isNegated || /^always\b/iu.test(body)) && !isOnce(bare);
  const demand = isStrict ? { target: bare, isNegated } : imperative(body, asked);
  return demand && { type: 'rule', ...demand };
}

/** A correction of a way of working; one of a fact ("the meeting is on Thursday, not on Friday") demands nothing. */
function corrected(body: string): Demand | undefined {
  const demand = firstOf(body, asked, [...forms, isCalled]);
  if (demand) return { type: 'correction', ...demand };
  const isDemand = beginsWithVerb(body) && !isOnce(body);
  return isDemand ? { type: 'correction', target: body, isNegated: false } : undefined;
}

/** To be told or asked at every occasion; other infinitives are plans ("wants to know"). */
const toBe =
  /^(?:[^,]{2,80},\s+)?to\s+(?:be\s+(?:told|asked|informed|notified|warned|consulted|called|addressed)|approve|review|see|confirm|decide)\b/iu;
const compares = /\b(?:over|better than|more than|instead of|rather than|not)\b/iu;

function wishedFor({ body, isNegated, isPast, isTaste, isOfPronoun }: Framed): Demand | undefined {
  if (isOnce(body) || /^(?:it|this|that|them|him|her|you|what|how)\b/iu.test(body)) return undefined;
  if (isOfPronoun && !isAboutWork(body) && !compares.test(body) && !isGeneral(body)) return undefined;
  if (isTaste) return { type: 'preference', target: body.replace(/^to\s+/iu, ''), isNegated };
  if (/^(?:[^,]{2,80},\s+)?to\s/iu.test(body))
    return toBe.test(body) && isOfKind(body) ? { type: 'rule', target: body, isNegated } : undefined;
  if (isNegated && /^(?:me|us|the agent|anyone|anybody) to\s/iu.test(body))
    return { type: 'rule', target: body, isNegated };
  if (!isStandingWish(body.replace(/^[^,]{2,80},\s+(?=[`"'\p{L}])/u, '')) && !isOfKind(body))
    return undefined;
  return isPast && !isOfKind(body) ? undefined : { type: 'rule', target: body, isNegated };
}
