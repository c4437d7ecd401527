/** A kind of value: how a query asks for one, and how a text states one. English. */
interface ValueKind {
  readonly asked: RegExp;
  readonly stated: RegExp;
}

const months =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|';
const monthsLate = 'oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|';
const days = 'monday|tuesday|wednesday|thursday|friday|saturday|sunday|weekend|today|tomorrow|yesterday|';
const spans =
  'tonight|morning|evening|noon|midnight|spring|summer|autumn|winter|weeks?|month|year|christmas|easter';

const kinds: readonly ValueKind[] = [
  {
    asked:
      /\b(?:prices?|costs?|fees?|rent|salary|budget|pay|paid|charges?|wage|how much|bill|discount|deposit|loan)\b/i,
    stated:
      /[€£$¥]|\d\s?(?:eur|gbp|usd|kr|nok|sek|zł|zloty|lari|cents?|francs?|k)\b|\b(?:euros?|pounds?|dollars?|free|cheap\w*|expensive|kr)\b|\b\d{3}|\b0\.\d|\bhundred|thousand/i,
  },
  {
    asked:
      /^(?:since )?when\b|^what (?:time|day|date)\b|\b(?:dates?|deadline|birthday|due|appointment|until when)\b/i,
    stated: new RegExp(
      `\\b(?:${months}${monthsLate}${days}${spans})\\b|\\b\\d{1,2}(?:st|nd|rd|th|[:.]\\d{2}|/\\d)|\\b(?:19|20)\\d{2}\\b|\\bday \\d`,
      'i',
    ),
  },
  {
    asked:
      /\bhow (?:many|long|old|big|far|often|large|fast|high|early|late|tall)\b|\b(?:timeout|interval|limit|rate|size|count|threshold|length|duration|lifetime|retention|cap|temperature|number of|percentage|weight|memory|version|port)\b/i,
    stated:
      /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand|half|twice|once|each|every|daily|weekly|double)\b/i,
  },
  {
    asked: /\b(?:phone|telephone|iban|account (?:number|id)|passport number|zip|postcode)\b/i,
    stated: /\d{3}|\+\d/,
  },
  {
    asked: /^(?:(?:to|with) )?who(?:m|se)?\b|\b(?:owner|author|contact)\b/i,
    stated:
      /(?<=[a-z,;:.)] )\p{Lu}\p{Ll}+|^\p{Lu}\p{Ll}+ (?:is|was|has|does|did|said|found|[a-z]+s|[a-z]+ed)\b|\b(?:I|me|we|he|she|my|his|her|our|us|team|board|nobody|everyone)\b/u,
  },
  {
    asked: /^where\b|\b(?:address|location|city)\b/i,
    stated: /\b(?:in|at|on|to|from|near|behind|under|above|into|street|road|via|next to|beside)\b/i,
  },
];

const queryLengthMax = 200;

/** Kinds of values that a query asks for, as bits; 0 if its form shows none. */
export function valueKindsAsked(query: string): number {
  return bitsOf(query.slice(0, queryLengthMax), 'asked');
}

/** Kinds of values that a text states, as bits. */
export function valueKindsIn(text: string): number {
  return bitsOf(text, 'stated');
}

function bitsOf(text: string, form: keyof ValueKind): number {
  return kinds.reduce((bits, kind, i) => (kind[form].test(text) ? bits | (1 << i) : bits), 0);
}
