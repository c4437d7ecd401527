/** Words that state a change. */
export const strongChange =
  /\b(no longer|any ?more|instead of|switched from|switched to|migrated (from|to)|replaced|from now on|these days|was wrong|actually|correction|renamed)\b/i;
export const noLonger = /\b(no longer|any ?more)\b/i;
export const fix =
  /\b(fixed|fixes|resolved|solved|works? again|works now|is done|repaired|the cause (of|was)|cause was|root cause|no longer (fails?|hangs?|crash\w*|returns?)|no more|was enlarged|mitigated|closed by|decision:|(?<!\bI (?:\w{1,20} )?)decided|workaround)\b/i;
export const problem =
  /\b(fails?|failing|failed|bug|error|hangs?|slow|broken|breaks|crash\w*|leaks?|full|flaky|cannot|can't|can not|issue|problem|outage|returns? [45]\d\d|[45]\d\d when|timeouts?|wrong|open question|missing|unable|stuck(?! with me))\b/i;
/** Words for a fix that is not done yet. */
export const unfinishedFix =
  /\b(to get (it|this|that)|trying to|to be|get(ting)?|will be|need(s)? to be|not|isn't|wasn't|can be) (\w+ )?(fixed|resolved|solved|repaired)\b|\b(try|tries|tried|trying|hope|hopes|hoping|wants?|wanted|going|waiting|plans?) (to|for)\b.{0,80}\b(fixed|resolved|solved|repaired)\b/i;
/** Verbs for a change of a value, in the forms that state it. */
export const changeVerb =
  /\b(rais(?:ed|es)|increas(?:ed|es)|lower(?:ed|s)|reduc(?:ed|es)|decreas(?:ed|es)|cut|halved|doubled|tripled|bumped|upgraded|downgraded|updated|moved|shifted|changed|switched|migrated|renamed|postponed|delayed|rescheduled|pushed|put off|brought forward|extended|shortened|adjusted|set to|(?:goes|went|gone) (?:up|down)|replaced|advanced|slip(?:s|ped))\b/i;
/** Words for a state that begins now. */
export const nowCue =
  /\b(now|from now on|no longer|any ?more|instead of|rather than|already|as of|since|new (?:date|time|value|limit|deadline|price|address|start|end)|from (?:next|january|february|march|april|may|june|july|august|september|october|november|december|\w+day))\b|, not /i;
/** Words for a change that is not made, or not sure. */
export const plannedCue =
  /\b(will|going to|might|may (?=\p{Ll})|maybe|perhaps|probably|would|could|should|shall|thinks?|believes?|guess|if|love to|want(?:s|ed)? to|plans? to|planned to|let's|propose[sd]?|suggest(?:s|ed)?|consider(?:s|ing)?|to be)\b/iu;
/** Words for a state that has not changed. */
export const sameCue = /\b(still|as before|unchanged|remains?|stays? (?:at|the same))\b/i;
