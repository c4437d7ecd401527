/**
 * Words that a sentence may have though its statements have not: articles, pronouns, prepositions, auxiliaries and those that
 * join. None of them negates, doubts, allows, or puts one thing before another in time or as its cause.
 */
export const connectingWords: ReadonlySet<string> = new Set(
  (
    'a an the and also both as who whom whose which that this these those it its he she they them him her his hers their ' +
    'theirs themselves himself herself itself i me my we us our you your is are was were be been being am has have had ' +
    'having do does did doing of to in on at for with from by about into where there here'
  ).split(' '),
);

/**
 * Words that change what a statement says: what negates, doubts, wishes, plans, reports or sets a condition. A sentence has
 * exactly those of its statements, so that "he denied that" or "not" is neither lost nor added.
 */
const decidingWords: ReadonlySet<string> = new Set(
  (
    'not no none never nobody nothing neither nor without cannot hardly barely almost nearly only except might may maybe could ' +
    'would should will shall can must ought probably possibly perhaps likely unlikely plan plans planned planning want wants ' +
    'wanted hope hopes hoped hoping wish wishes wished think thinks thought believe believes believed guess guesses say says ' +
    'said tell tells told claim claims claimed deny denies denied doubt doubts suppose supposed pretend pretended dream ' +
    'dreamed dreamt imagine imagined ask asks asked offer offered promise promised refuse refused fail failed try tries tried ' +
    'trying consider considering considered used stop stopped quit longer anymore if unless until whether instead but though ' +
    'although however because despite'
  ).split(' '),
);
const shortened = /n['’]t$|['’](?:ll|d)$/;

/** @param word in lower case */
export const isDeciding = (word: string) => decidingWords.has(word) || shortened.test(word);
