import { describe, expect, it } from 'vitest';
import { languageModel } from '../../../test/support/language-model.ts';
import { analyse } from '../analysed-text.ts';
import { deriveText } from '../derive-text.ts';
import { findEntities } from './find-entities.ts';
import { KnownNames } from './known-names.ts';

const model = languageModel();
const namesIn = (text: string, known?: KnownNames) =>
  findEntities(model, analyse(model, text), known).map(
    (found) => `${found.text}: ${found.type} ${found.source}`,
  );

const shownIn = (text: string) =>
  deriveText(model, text).entities.map((found) => `${found.text}: ${found.type}`);

describe('entities that are shown', () => {
  it.each([
    ['Larkspur is the code name for the new admin UI.', 'Larkspur'],
    ['Internet: Nettvik raises the price.', 'Nettvik'],
    ['Audit by Northwick Security is next week.', 'Northwick Security'],
    ['Salt Bakeries is on the shelf.', 'Salt Bakeries'],
    ['Cold cucumber soup, and she bought me a bun.', 'cucumber'],
    ['Cold cucumber soup, and she bought me a bun.', 'bun'],
    ['Electricity is 1.12 per kWh.', 'kWh'],
    ['Set a few goals.Invest in shoes.', 'goals.Invest'],
    ['The dump is in s3://fern-archive on the server.', '/fern-archive'],
  ])('a name whose type nothing around it shows is not shown: %s', (text, name) => {
    expect(shownIn(text).join(', ')).not.toContain(name);
  });

  it.each([
    ['Coffee with Henrike on Monday.', 'Henrike: PERSON'],
    ["Oda's mother had a stroke.", 'Oda: PERSON'],
    ['My daughter Zosia is eleven.', 'Zosia: PERSON'],
    ['Physio with Dr Solheim.', 'Dr Solheim: PERSON'],
    ['Ada Lovelace met Alice Smith in Lisbon.', 'Ada Lovelace: PERSON'],
    ['Victoria Bloom called.', 'Victoria Bloom: PERSON'],
    ['We flew to Paris Monday.', 'Paris: LOCATION'],
    ['Two weeks in Larkhaven, then home.', 'Larkhaven: LOCATION'],
    ['Bun runs the tests of the repo.', 'Bun: TECHNOLOGY'],
  ])('a list or the words around a name show its type: %s', (text, entity) => {
    expect(shownIn(text)).toContain(entity);
  });

  it('a family name alone is a person where the text has the full name', () => {
    expect(
      shownIn('Rafael Nadal won. Then Nadal left the court.').filter((one) => one.includes('Nadal')),
    ).toEqual(['Rafael Nadal: PERSON', 'Nadal: PERSON']);
  });
});

describe('entities', () => {
  it('entities are found by form, list and recogniser, each with what found it', () => {
    expect(
      namesIn('Ana: GET /api/users/{id} in src/app.ts uses PostgreSQL. Marek works at Nordlicht.'),
    ).toEqual([
      'Ana: PERSON pattern',
      'GET /api/users/{id}: API_ENDPOINT pattern',
      'src/app.ts: FILE pattern',
      'PostgreSQL: TECHNOLOGY list',
      'Marek: PERSON recogniser',
      'Nordlicht: ORGANIZATION recogniser',
    ]);
  });

  it('the legal form of a company belongs to its name, also at the end of a text', () => {
    expect(namesIn('The Beluga project at Fjordline Inc.')).toContain(
      'Fjordline Inc: ORGANIZATION recogniser',
    );
    expect(namesIn('We pay Tidewater Inc every month.')).toContain('Tidewater Inc: ORGANIZATION recogniser');
  });

  it.each([
    ['The second reading of the Bill is on Tuesday.', 'Bill'],
    ['CI is red again.', 'CI'],
    ['Mail from noreply.github.com came back.', 'noreply.github.com'],
    ['Incident: the pool was empty.', 'Incident'],
    ["PhD C: Well, that's O K.", 'K'],
    ['The header is Idempotency-Key.', 'Idempotency-Key'],
  ])('laws, acronyms, hosts, labels and letters are no people, places or components: %s', (text, name) => {
    expect(namesIn(text).join(', ')).not.toContain(`${name}:`);
  });

  it('the name of an error is code', () => {
    expect(namesIn('TypeError: it is undefined.')).toEqual(['TypeError: COMPONENT pattern']);
  });

  it('a name before a colon is a person if it is a common one, or known to speak', () => {
    expect(namesIn('Melanie: It was late.')).toEqual(['Melanie: PERSON pattern']);
    expect(namesIn('Thandiwe: It was late.')).toEqual([]);
    const known = new KnownNames([{ name: 'Thandiwe', type: 'PERSON' }]);
    expect(namesIn('Thandiwe: It was late.', known)).toEqual(['Thandiwe: PERSON pattern']);
  });

  it('units of storage are no technologies', () => {
    expect(namesIn('The build cache size defaults to 5 GB.')).toEqual([]);
  });

  it('entities are none for links, addresses and the role that speaks', () => {
    expect(namesIn('User: see https://example.com/a/b.ts or write to ops@example.com')).toEqual([]);
  });

  it('entities of a text that is not English are those that forms and lists show', () => {
    expect(namesIn('Ravi wird ab Mai mit Kubernetes und src/app.ts arbeiten.')).toEqual([
      'Kubernetes: TECHNOLOGY list',
      'src/app.ts: FILE pattern',
    ]);
  });
});

describe("a user's own names", () => {
  const known = new KnownNames([
    { name: 'Beacon', type: 'PROJECT' },
    { name: 'pricing engine', type: 'COMPONENT' },
    { name: 'Will', type: 'PERSON' },
    { name: 'Fastmail', type: 'ORGANIZATION' },
  ]);

  it("a user's own names are found in any text, in whatever language, and in any case where they are no ordinary word", () => {
    expect(namesIn('Wir haben die Pricing Engine von fastmail getrennt, nicht Beacon.', known)).toEqual([
      'Pricing Engine: COMPONENT user',
      'fastmail: ORGANIZATION user',
      'Beacon: PROJECT user',
    ]);
  });

  it("a user's own names are not found in an ordinary word that looks like them", () => {
    expect(namesIn('Will the beacon be lit? It will.', known)).toEqual([]);
    expect(namesIn('Yesterday Will lit it.', known)).toEqual(['Will: PERSON user']);
  });
});
