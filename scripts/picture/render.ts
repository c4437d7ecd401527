/** The fields of a hit that the picture shows. */
export interface ShownHit {
  readonly content: string;
  readonly score: number;
  readonly explanation: {
    readonly matchReason: string;
    /** `NAME +0.123`, and notes without a sign, such as `similarity 0.753`. */
    readonly contributingFactors: readonly string[];
  };
}

export interface Shown {
  readonly query: string;
  readonly hits: readonly ShownHit[];
  readonly total: number;
  readonly version: string;
}

interface Part {
  readonly name: string;
  readonly value: number;
}

const width = 860;
const left = 28;
const barWidth = 560;
const lineHeight = 19;
const charactersMax = 104;
const colours = ['#4f46e5', '#0d9488', '#d97706', '#be185d', '#2563eb', '#65a30d', '#9333ea', '#64748b'];

/** Colour of negative summands, which have no segment in the bar. */
const lowers = '#cbd5e1';

const escapeXml = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** The summands of a score, the largest first. */
function partsOf({ explanation }: ShownHit): Part[] {
  return explanation.contributingFactors
    .flatMap((factor) => {
      const [, name, value] = /^(.+) ([+-]\d+\.\d+)$/.exec(factor) ?? [];
      return name === undefined || Number(value) === 0 ? [] : [{ name, value: Number(value) }];
    })
    .sort((a, b) => b.value - a.value);
}

/** Factors without a number, such as corrected words. */
const notesOf = ({ explanation }: ShownHit) =>
  explanation.contributingFactors.filter((factor) => !/ [+-]?\d+\.\d+$/.test(factor));

/** Length of the bar: the sum of the positive parts. */
const sumOf = (parts: readonly Part[]) => parts.reduce((sum, { value }) => sum + Math.max(0, value), 0);

interface Line {
  readonly text: string;
  readonly x?: number;
  readonly size?: number;
  readonly fill?: string;
  readonly weight?: number;
}

function textAt(y: number, { text, x = left, size = 13, fill = '#334155', weight = 400 }: Line): string {
  return `<text x="${x}" y="${y}" font-size="${size}" fill="${fill}" font-weight="${weight}">${escapeXml(text)}</text>`;
}

function wrap(text: string): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines[lines.length - 1];
    if (last !== '' && last.length + word.length >= charactersMax) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
}

function bar(y: number, parts: readonly Part[], scale: number): string {
  let x = left;
  return parts
    .filter(({ value }) => value > 0)
    .map(({ value }, i) => {
      const long = value * scale;
      const piece = `<rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(1, long).toFixed(1)}" height="12" fill="${colours[i % colours.length]}"/>`;
      x += long;
      return piece;
    })
    .join('');
}

function legend(y: number, parts: readonly Part[]): { drawn: string; height: number } {
  const drawn: string[] = [];
  let [x, row] = [left, 0];
  parts.forEach(({ name, value }, i) => {
    const text = `${name} ${value > 0 ? '' : '−'}${Math.abs(value).toFixed(2)}`;
    const long = 24 + text.length * 6.2;
    if (x + long > width - left) [x, row] = [left, row + 1];
    const top = y + row * lineHeight;
    drawn.push(
      `<rect x="${x}" y="${top - 9}" width="9" height="9" rx="2" fill="${value > 0 ? colours[i % colours.length] : lowers}"/>`,
    );
    drawn.push(textAt(top, { text, x: x + 14, size: 11.5, fill: '#475569' }));
    x += long;
  });
  return { drawn: drawn.join(''), height: (row + 1) * lineHeight };
}

/** An SVG of a search with `explain=true`: the hits and the summands of each score. */
export function renderSearch({ query, hits, total, version }: Shown): string {
  const scale = barWidth / Math.max(...hits.map((hit) => sumOf(partsOf(hit))));
  const drawn: string[] = [];
  let y = 62;
  hits.forEach((hit, i) => {
    const parts = partsOf(hit);
    y += 30;
    drawn.push(textAt(y, { text: `${i + 1}.  ${hit.content}`, size: 14, fill: '#0f172a', weight: 600 }));
    for (const line of [...wrap(hit.explanation.matchReason), ...notesOf(hit)]) {
      y += lineHeight;
      drawn.push(textAt(y, { text: line }));
    }
    y += 9;
    drawn.push(bar(y, parts, scale));
    const end = left + sumOf(parts) * scale + 10;
    drawn.push(
      textAt(y + 11, { text: hit.score.toFixed(2), x: end, size: 13, fill: '#0f172a', weight: 600 }),
    );
    y += 28;
    const { drawn: named, height } = legend(y, parts);
    drawn.push(named);
    y += height - 6;
  });
  const shown = hits.length < total ? `the first ${hits.length} of ${total}` : `all ${total}`;
  y += 28;
  drawn.push(
    textAt(y, { text: `memoryd ${version}, ${shown}; drawn from the response`, size: 11, fill: '#94a3b8' }),
  );
  const height = y + 18;
  const request = `GET /api/memories/search?q=${query.replaceAll(' ', '+')}&explain=true`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="ui-sans-serif, system-ui, 'DejaVu Sans', sans-serif">`,
    `<title>A search with explain: each hit with the parts of its score</title>`,
    `<rect width="${width}" height="${height}" rx="12" fill="#ffffff" stroke="#e2e8f0"/>`,
    `<rect x="16" y="16" width="${width - 32}" height="36" rx="8" fill="#0f172a"/>`,
    `<text x="30" y="39" font-size="13.5" fill="#e2e8f0" font-family="ui-monospace, 'DejaVu Sans Mono', monospace">${escapeXml(request)}</text>`,
    ...drawn,
    '</svg>',
    '',
  ].join('\n');
}
