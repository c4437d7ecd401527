import type { AliasVerdict } from './verdict.ts';

/** Short forms and local names of places, folded. */
const places = new Map(
  Object.entries({
    nyc: 'new york city',
    'new york': 'new york city',
    ny: 'new york',
    uk: 'united kingdom',
    'great britain': 'united kingdom',
    us: 'united states',
    usa: 'united states',
    'u.s.': 'united states',
    'united states of america': 'united states',
    uae: 'united arab emirates',
    la: 'los angeles',
    sf: 'san francisco',
    munchen: 'munich',
    muenchen: 'munich',
    koln: 'cologne',
    wien: 'vienna',
    praha: 'prague',
    lisboa: 'lisbon',
    roma: 'rome',
    milano: 'milan',
    firenze: 'florence',
    venezia: 'venice',
    napoli: 'naples',
    torino: 'turin',
    warszawa: 'warsaw',
    moskva: 'moscow',
    geneve: 'geneva',
    bruxelles: 'brussels',
    sevilla: 'seville',
    'den haag': 'hague',
    kobenhavn: 'copenhagen',
    goteborg: 'gothenburg',
    deutschland: 'germany',
    espana: 'spain',
    italia: 'italy',
  }),
);

/** Names are folded. */
export function judgePlaces(a: string, b: string): AliasVerdict {
  return fullPlace(a) === fullPlace(b) ? 'same' : 'no';
}

function fullPlace(name: string): string {
  const bare = name.replace(/^the\s+/, '');
  const once = places.get(bare) ?? bare;
  return places.get(once) ?? once;
}
