import fs from 'node:fs'; import { Linear, fnv, shape, cluster } from './core.mjs';
const idx = new Int32Array(96);
export const NER_TAGS = ['O', 'B-PER', 'I-PER', 'B-ORG', 'I-ORG', 'B-LOC', 'I-LOC', 'B-TECH', 'I-TECH', 'B-CODE', 'I-CODE', 'B-MISC', 'I-MISC'];
const PREV = NER_TAGS.map((t, i) => (t[0] === 'I' ? [i, i - 1] : null)); // allowed previous tags
let gaz, single, multi;
export function loadGaz(file = new URL('../gazetteer.json', import.meta.url)) {
  gaz = JSON.parse(fs.readFileSync(file)); multi = new Map();
  const put = (k, f) => { const n = k.split(/[\s]+/).length; const m = multi.get(k) || {}; m[f] = 1; multi.set(k, m); };
  for (const k in gaz.tech) put(k, 't'); for (const k in gaz.brands) put(k, 'b'); for (const k in gaz.places) put(k, 'l' + (gaz.places[k] === 1 ? 'c' : 'r'));
  for (const k in gaz.given) put(k, 'g'); for (const k in gaz.family) put(k, 'f'); for (const k in gaz.orgs) put(k, 'o');
  return gaz;
}
export function gazMarks(words) { // longest match of up to 4 words; each token gets strings such as 'B-t'
  if (!multi) loadGaz();
  const l = words.map(w => w.toLowerCase()), out = words.map(() => []);
  for (let i = 0; i < l.length; i++) {
    const cap = /^\p{Lu}/u.test(words[i]);
    for (let n = Math.min(4, l.length - i); n >= 1; n--) {
      const m = multi.get(n === 1 ? l[i] : l.slice(i, i + n).join(' ')); if (!m) continue;
      for (const f in m) { if (f !== 't' && f !== 'b' && !cap) continue; if (n === 1 ? out[i].includes('I' + f) : out[i].some(x => x.slice(1) === f && x[0] === 'I')) continue; for (let k = 0; k < n; k++) out[i + k].push((k ? 'I' : n > 1 ? 'B' : 'U') + f); }
    }
  }
  return out;
}
const wf = new Map();
function wfeat(w) {
  let f = wf.get(w); if (f) return f; const l = w.toLowerCase(), c = cluster(w), sh = shape(w);
  f = { l, sh, c6: c[0], c5: c[1], own: [fnv('b'), fnv('W' + w), fnv('w' + l), fnv('h' + sh), fnv('s2' + l.slice(-2)), fnv('s3' + l.slice(-3)), fnv('s4' + l.slice(-4)), fnv('p2' + l.slice(0, 2)), fnv('p3' + l.slice(0, 3)), fnv('p4' + l.slice(0, 4)), fnv('c6' + c[0] + sh), fnv('c5' + c[1]), fnv('c5h' + c[1] + sh), fnv('L' + Math.min(w.length, 12))] };
  if (wf.size > 100000) wf.clear(); wf.set(w, f); return f;
}
const PAD = { l: '<>', sh: '<>', c6: '<', c5: '<' };
export class Ner {
  constructor(bits = 19) { this.model = new Linear(bits, NER_TAGS.length); this.out = new Float32Array(NER_TAGS.length); }
  static load(p) { const n = Object.create(Ner.prototype); n.model = Linear.load(p); n.out = new Float32Array(NER_TAGS.length); return n; }
  feats(F, P, G, i, t1, t2, firstCap) {
    const m = this.model.mask, f = F[i], a = F[i - 1] || PAD, b = F[i + 1] || PAD, a2 = F[i - 2] || PAD, b2 = F[i + 2] || PAD; let n = 0;
    for (const h of f.own) idx[n++] = h & m;
    const p = P[i], pa = P[i - 1] || '<', pb = P[i + 1] || '>', pos0 = i === 0 || /^[.!?:"(\-]$/.test(a.l) ? '0' : '1';
    const g = G[i].join(','), ga = (G[i - 1] || []).join(','), gb = (G[i + 1] || []).join(',');
    for (const s of ['p' + p + pos0, 'pa' + pa, 'pb' + pb, 'pp' + pa + p + pb, 'hp' + f.sh + p + pos0, 'a' + a.l, 'b' + b.l, 'a2' + a2.l, 'b2' + b2.l, 'aa' + a2.l + '|' + a.l, 'bb' + b.l + '|' + b2.l, 'ac' + a.c5, 'bc' + b.c5, 'ac6' + a.c6 + f.sh, 'bc6' + b.c6 + f.sh, 'ash' + a.sh + f.sh, 'bsh' + f.sh + b.sh, 'absh' + a.sh + f.sh + b.sh,
      't1' + t1, 't2' + t1 + t2, 't1w' + t1 + f.l, 't1h' + t1 + f.sh, 't1p' + t1 + p, 't1a' + t1 + a.l, 'fc' + firstCap + f.sh + pos0,
      'G' + g, 'Ga' + ga + '/' + g, 'Gb' + g + '/' + gb, 'Gh' + g + f.sh + pos0, 'Gt' + g + t1, 'Ga_' + g + a.l]) idx[n++] = fnv(s) & m;
    for (const x of G[i]) { idx[n++] = fnv('g' + x + p) & m; idx[n++] = fnv('gh' + x + f.sh) & m; if (n > 90) break; }
    return n;
  }
  tag(words, P, train) { // train: {gold: Int tag ids, allowed: i => Set of tag ids or null}
    const F = words.map(wfeat), G = gazMarks(words), res = new Array(words.length); let prev = 0, t1 = '<', t2 = '<';
    let caps = 0, alph = 0; for (const w of words) { if (/^\p{L}/u.test(w)) { alph++; if (/^\p{Lu}/u.test(w)) caps++; } } const firstCap = caps > alph * 0.7 ? 'A' : caps === 0 ? 'N' : 'M';
    for (let i = 0; i < words.length; i++) {
      const n = this.feats(F, P, G, i, t1, t2, firstCap); this.model.scores(idx, n, this.out);
      let best = 0; for (let c = 1; c < NER_TAGS.length; c++) { if (this.out[c] > this.out[best]) best = c; }
      if (train) {
        const al = train.allowed[i];
        if (al ? !al.includes(best) : best !== train.gold[i]) { let good = train.gold[i]; this.model.update(idx, n, good, best); best = train.keep ? best : best; }
        this.model.t++;
      }
      res[i] = NER_TAGS[best]; t2 = t1; t1 = NER_TAGS[best]; prev = best;
    }
    return res;
  }
}
export function spans(tags) { const r = []; let cur = null; tags.forEach((t, i) => { if (t[0] === 'B' || (t[0] === 'I' && (!cur || cur.type !== t.slice(2)))) { if (cur) r.push(cur); cur = { type: t.slice(2), s: i, e: i + 1 }; } else if (t[0] === 'I') cur.e = i + 1; else { if (cur) r.push(cur); cur = null; } }); if (cur) r.push(cur); return r; }
export function f1(gold, pred, types) { const R = {}; let all = { tp: 0, p: 0, g: 0 }; for (const t of types) R[t] = { tp: 0, p: 0, g: 0 }; gold.forEach((g, k) => { const gs = new Set(g.filter(x => types.includes(x.type)).map(x => x.type + x.s + ',' + x.e)); const ps = new Set(pred[k].filter(x => types.includes(x.type)).map(x => x.type + x.s + ',' + x.e)); for (const x of gs) { const t = /^[A-Z]+/.exec(x)[0]; R[t].g++; all.g++; if (ps.has(x)) { R[t].tp++; all.tp++; } } for (const x of ps) { const t = /^[A-Z]+/.exec(x)[0]; R[t].p++; all.p++; } }); const fm = r => { const p = r.tp / (r.p || 1), q = r.tp / (r.g || 1); return `P ${p.toFixed(2)} R ${q.toFixed(2)} F ${(2 * p * q / ((p + q) || 1)).toFixed(3)} (n ${r.g})`; }; return { ...Object.fromEntries(types.map(t => [t, fm(R[t])])), all: fm(all) }; }
