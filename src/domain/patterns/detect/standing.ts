/**
 * Signs by which a demand that holds from now on is told from a request for once: "run the linter before each commit"
 * from "translate this paragraph".
 */

/** Base forms of verbs of demands: only these begin a demand without "never", "always" or "don't" before them. */
const verbs =
  'accept|add|address|adopt|allow|announce|answer|apply|approve|archive|ask|assign|assume|attach|backport|back up|base|batch|' +
  'begin|bump|build|cache|call|capitali[sz]e|change|check|choose|cite|clean|close|collect|comment|commit|configure|confirm|' +
  'copy|cover|create|declare|default|delete|deploy|describe|design|disable|discuss|display|document|do not|edit|email|emit|' +
  'enable|encode|encrypt|end|escape|explain|export|expose|express|favou?r|fetch|file|fix|flag|follow|force-push|format|gate|' +
  'generate|get|give|go|group|guard|handle|hide|ignore|import|include|inform|inject|inline|insert|install|invite|keep|label|' +
  'leave|limit|link|lint|list|load|lock|log|mark|mask|match|measure|mention|merge|migrate|mock|move|name|normali[sz]e|note|' +
  'notify|offer|omit|open|order|pass|pick|pin|place|plan|post|prefer|prefix|present|preserve|print|propose|publish|pull|push|' +
  'put|quote|raise|read|rebase|rebuild|record|redact|refactor|reference|refer|refuse|regenerate|reject|release|remind|remove|' +
  'rename|render|reply|report|request|require|respect|respond|restart|restrict|return|reuse|review|revert|roll back|rotate|' +
  'round|run|sanitise|sanitize|save|schedule|send|separate|set|share|ship|show|sign|skip|sort|speak|spell|split|squash|stage|' +
  'start|state|stay|stick|store|stop|submit|suggest|summari[sz]e|suffix|sync|tag|take|talk|tell|test|throw|touch|track|' +
  'translate|treat|trim|turn|type|update|upgrade|upload|use|validate|verify|version|wait|warn|wrap|write';
const base = new RegExp(`^(?:please\\s+)?(?:${verbs})\\b(?!\\s+(?:of|is|was|are|has|up the good)\\b)`, 'iu');

export const beginsWithVerb = (text: string): boolean => base.test(text);

/** Words that make a demand general: all cases of a kind. */
const general =
  /\b(?:always|never|every|each|any|anything|anyone|all|everything|everywhere|whenever|wherever|in future|in the future|going forward|from now on|by default|as a rule|unless|instead of|rather than|only|without (?:\p{L}+ing|asking|approval|permission|review|tests?)|(?:before|after|when|while|until|if) (?:\p{L}{2,}ing|i|we|you|the \p{L}+ \p{Ll}+s|an?|\p{Ll}+s)\b)/iu;
/** A whole kind of things as the place or the case of a demand: "in tests", "for shell scripts". */
const inKind =
  /\b(?:in|for|with|to|at|on|under|from|of)\s+(?:`[^`]+`|(?:(?!the\b|this\b|that\b|my\b|an?\b)[\p{L}-]+\s+){0,2}(?!this\b)[\p{Ll}-]+[^s\W]s|CI|code|docs|documentation|production|prod|public|[\p{L}/]*main|master)\b/u;

/** Times and things of this one case. */
const once =
  /\b(?:today|tonight|tomorrow|yesterday|now that|right now|this (?!project|repo|repository|codebase|code base|team|workspace|package)\p{L}+|that (?:one|file|test|bug|paragraph|page|thing)|these|those|the new|the next|the last|next (?:week|month|time|year)|some time|(?:by|until|on|at|till) (?:the )?(?:\d|mon|tues|wednes|thurs|fri|satur|sun|noon|midnight)\p{L}*(?!s\b)|just once|yet|for now|for the moment|please find|o['’]?clock)\b/iu;
/** Plans and wishes: more of something, or one of a kind. */
const vague =
  /^(?:(?:some|more|better|faster|fewer|less|another|help|time|it|this|that|them|one|you|him|her)\b|an?\s)/iu;
/** Weekdays in the plural are a kind: "never on Fridays". */
const weekdays = /\b(?:mon|tues|wednes|thurs|fri|satur|sun)days\b/iu;

export const isGeneral = (text: string): boolean =>
  (general.test(text) || weekdays.test(text)) && !isOnce(text);

/** Whether the demand is about a kind of cases, be it only by its place: "in tests". */
export const isOfKind = (text: string): boolean => isGeneral(text) || (inKind.test(text) && !isOnce(text));

export const isOnce = (text: string): boolean => once.test(text.replace(weekdays, ''));

/** Whether a wish is for every case: for a kind or a way, not for one thing ("a coffee", "the report"). */
export function isStandingWish(text: string): boolean {
  if (isOnce(text)) return false;
  if (isGeneral(text)) return true;
  if (vague.test(text) || /^\S+$/u.test(text.trim())) return false;
  return !/^(?:the|my|his|her|their|our|\d+|two|three|four|five)\s/iu.test(text) || inKind.test(text);
}

/** Things of which the work of an agent is made: code, its tools, texts, answers. */
const work =
  /`|\b(?:commits?|commit messages?|branch(?:es)?|prs?|pull requests?|merge requests?|tests?|code|functions?|class(?:es)?|modules?|docs|documentation|comments?|docstrings?|logs?|log messages|migrations?|endpoints?|apis?|schemas?|configs?|secrets?|credentials|tokens|deploy\p{L}*|releases?|reviews?|lint\p{L}*|formatt\p{L}*|ci|pipelines?|builds?|scripts?|dependenc\p{L}+|packages?|repo\p{L}*|files?|trunk|prod|production|staging|answers?|replies|responses?|iso|units?|tickets?|issues?|indent\p{L}*|names?|naming|variables?|imports?|exports?|squash|rebase|merge|mock\p{L}*|databases?|errors?|exceptions?|changelog\p{L}*|versions?|emojis?|bullet points?|markdown)\b/iu;

export const isAboutWork = (text: string): boolean => work.test(text);
