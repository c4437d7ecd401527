import { fold } from '../../../search-index/analysis/fold.ts';
import { stopWords } from '../../../search-index/analysis/stop-words.ts';

/**
 * Words that add nothing to a time, as in "what happened last week": folded, in lower case.
 * English, German, French and Spanish; the commonest words of English are stop words already.
 */
const sayNothing = new Set(
  [
    'anything everything something nothing all happen happens happened happening occur occurred took place going went',
    'do did done got get give show list tell find recall remember remind memory memories note notes noted entry entries',
    'event events thing things stuff activity activities summary summarize recap overview write wrote written say said',
    'save saved store stored record recorded add added know us please around back date day time like s re d',
    'was ist war waren hat habe haben hatte ich wir mir uns es alles etwas passiert passierte geschehen geschah gemacht',
    'getan los notiert gesagt gewesen zeig zeige finde liste notizen erinnerungen der die das den dem ein eine denn so',
    'que qui quoi qu ce c est s j ai on nous avons a ont passe arrive fait ete etait tout toutes tous il y le la les l',
    'souvenirs notes note dit fais montre quelles quels choses me je ete eu lieu',
    'que paso ha pasado hice hicimos hizo hecho ocurrio sucedio hay hubo fue todo cosas lo el los las se mis mi me yo',
    'im vom seit den letzten dans pendant au aux en du des ces depuis durante por del de la desde',
    'recuerdos notas anote dije dijimos muestra nos he hemos cual cuales',
  ].flatMap((words) => words.split(' ')),
);
const word = /[\p{L}\p{M}\p{N}]+/gu;

/** Whether a query asks for everything of a time: the words of "what happened last week" without the time. */
export function asksNothingElse(rest: string): boolean {
  const words = fold(rest).toLowerCase().match(word) ?? [];
  return words.every((each) => stopWords.has(each) || sayNothing.has(each));
}
