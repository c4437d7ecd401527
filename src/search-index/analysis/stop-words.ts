/** English words too common to tell texts apart; contractions fall apart at the apostrophe, hence `don`, `ll`, `t`. */
export const stopWords: ReadonlySet<string> = new Set(
  (
    'a about am an and are as at be been being but by can could d did do does doing don during ' +
    'each few for from further had has have he her here hers herself him himself his how i if ' +
    'in into is it its itself just ll m me more most my no nor not now of off on once only or ' +
    'other our out over own re s same she should so some such t than that the their them then ' +
    'there these they this to too under until up ve very was we were what when where which who ' +
    'whom why will with would you your'
  ).split(' '),
);
