// Hashed-feature averaged perceptron, shared by tagger, recogniser and parser.
import fs from 'node:fs';
export function fnv(s, h = 0x811c9dc5) {
  for (let i = 0; i < s.length; i++) { h ^= s.charCodeAt(i); h = Math.imul(h, 0x01000193); }
  h ^= h >>> 15; h = Math.imul(h, 0x2c1b3c6d); h ^= h >>> 12;
  return h >>> 0;
}
export class Linear {
  constructor(bits, classes) {
    this.bits = bits; this.size = 1 << bits; this.mask = this.size - 1; this.C = classes;
    this.W = new Float32Array(this.size + classes); this.scale = 1;
  }
  startTraining() { this.U = new Float64Array(this.W.length); this.t = 1; }
  scores(idx, n, out) {
    const { W, C } = this; out.fill(0);
    for (let k = 0; k < n; k++) { const b = idx[k]; for (let c = 0; c < C; c++) out[c] += W[b + c]; }
  }
  update(idx, n, good, bad, rate = 1) {
    const { W, U, t } = this;
    for (let k = 0; k < n; k++) { const b = idx[k]; W[b + good] += rate; U[b + good] += t * rate; W[b + bad] -= rate; U[b + bad] -= t * rate; }
  }
  finish() { const { W, U, t } = this; for (let i = 0; i < W.length; i++) W[i] -= U[i] / t; this.U = null; }
  save(path, meta) { // int8, square-companded: w = sign(q) (q/127)^2 max
    let m = 0; for (const v of this.W) if (Math.abs(v) > m) m = Math.abs(v);
    const q = new Int8Array(this.W.length); let nz = 0;
    for (let i = 0; i < q.length; i++) { const v = this.W[i], r = Math.round(Math.sqrt(Math.abs(v) / m) * 127); q[i] = v < 0 ? -r : r; if (r) nz++; }
    fs.writeFileSync(path + '.bin', q); fs.writeFileSync(path + '.json', JSON.stringify({ bits: this.bits, classes: this.C, max: m, ...meta }));
    return { bytes: q.length, nonzero: nz, max: m };
  }
  static load(path) {
    const meta = JSON.parse(fs.readFileSync(path + '.json')); const q = new Int8Array(fs.readFileSync(path + '.bin'));
    const l = Object.create(Linear.prototype); l.bits = meta.bits; l.size = 1 << meta.bits; l.mask = l.size - 1; l.C = meta.classes;
    l.W = new Float32Array(q.length); for (let i = 0; i < q.length; i++) l.W[i] = Math.sign(q[i]) * q[i] * q[i] / 16129 * meta.max;
    l.meta = meta; return l;
  }
}
export function shape(w) {
  let s = '', last = '', n = 0;
  for (const ch of w) {
    const c = /\p{Lu}/u.test(ch) ? 'X' : /\p{L}/u.test(ch) ? 'x' : /\p{N}/u.test(ch) ? 'd' : ch;
    if (c === last) { if (++n > 2) continue; } else { last = c; n = 1; }
    s += c; if (s.length > 8) break;
  }
  return s;
}
// word -> cluster ids, from the static embedding model (words the vocabulary lacks: sum of their pieces, nearest centroid)
const D = process.env.STATIC_MODEL ?? new URL('../../static-en-256/', import.meta.url).pathname, B = new URL('../', import.meta.url).pathname;
let vocab, c64, c512;
export function loadClusters() {
  vocab = new Map(fs.readFileSync(D + 'vocab.txt', 'utf8').split('\n').map((w, i) => [w, i]));
  const r = f => { const b = fs.readFileSync(f); return new Uint16Array(b.buffer, b.byteOffset, b.length / 2); };
  c64 = r(B + 'clusters64.bin'); c512 = r(B + 'clusters512.bin');
}
const cache = new Map();
export function cluster(w) {
  if (!vocab) loadClusters();
  let v = cache.get(w); if (v) return v;
  const lw = w.toLowerCase(); let id = vocab.get(lw);
  if (id === undefined) { // longest suffix piece is a cheap stand-in for the sum of pieces
    for (let i = 1; i < lw.length - 1 && id === undefined; i++) id = vocab.get('##' + lw.slice(i));
    v = id === undefined ? ['-', '-'] : ['#' + c64[id], '#' + c512[id]];
  } else v = ['' + c64[id], '' + c512[id]];
  if (cache.size > 200000) cache.clear();
  cache.set(w, v); return v;
}
export function readConllu(file) {
  const out = []; let s = [], meta = {};
  for (const line of fs.readFileSync(file, 'utf8').split('\n')) {
    if (!line.trim()) { if (s.length) { s.meta = meta; out.push(s); } s = []; meta = {}; continue; }
    if (line[0] === '#') { const m = /^# ([^=]+?) = (.*)$/.exec(line); if (m) meta[m[1]] = m[2]; continue; }
    const f = line.split('\t'); if (!/^\d+$/.test(f[0])) continue;
    s.push({ w: f[1], lemma: f[2], u: f[3], x: f[4], head: +f[6], rel: f[7].split(':')[0], rels: f[7], misc: f[9] });
  }
  if (s.length) out.push(s); return out;
}
