// Builds gazetteers.json: technologies (with aliases), places, given names, family names, organisations
import fs from 'node:fs'; import { execSync } from 'node:child_process';
const R = (process.env.CORPORA ?? './data/'), M = (process.env.SOURCES ?? './sources/');
const show = (repo, p) => execSync(`git -C ${M}${repo} show HEAD:${p}`, { maxBuffer: 1 << 28 }).toString().replace(/^\ufeff/, '');
function csv(t) { const rows = []; let r = [], f = '', q = false; for (let i = 0; i < t.length; i++) { const c = t[i]; if (q) { if (c === '"') { if (t[i + 1] === '"') { f += c; i++; } else q = false; } else f += c; } else if (c === '"') q = true; else if (c === ',') { r.push(f); f = ''; } else if (c === '\n') { r.push(f.replace(/\r$/, '')); rows.push(r); r = []; f = ''; } else f += c; } return rows; }
const tech = new Map(); // lower name -> canonical
const add = (name, canon) => { const k = name.toLowerCase().trim(); if (k.length > 1 && !tech.has(k)) tech.set(k, canon); };
// 1 github/explore topics (CC BY 4.0): display names and aliases, only topics that look like a product or a language (have a url or a wikipedia page and a github url) 
let nt = 0;
const GENERIC = new Set('api ai app apps bot bots browser cloud cms code command-line compiler containers crud css-framework data database databases design documentation editor education emoji firmware font framework game games hacktoberfest http icons json language library linter localization machine-learning maps mobile monitoring music nlp open-source operating-system parser parsing package-manager platform privacy project-management pwa robotics science security server serverless shell software terminal testing theme tool tools ui video virtual-reality web website wiki first project awesome config utility extension plugin plugins algorithm algorithms async backend frontend blog chat ci cli communication compression conference continuous-integration cryptocurrency cryptography cursor dashboard deep-learning dependency-management deployment development devops docs'.split(' '));
for (const d of fs.readdirSync(R + 'explore/topics')) {
  let t; try { t = fs.readFileSync(R + 'explore/topics/' + d + '/index.md', 'utf8'); } catch { continue; }
  const g = k => (new RegExp('^' + k + ':\\s*(.*)$', 'm').exec(t) || [])[1]?.replace(/^["']|["']$/g, '').trim();
  const name = g('display_name'), url = g('url'), gh = g('github_url'), rel = g('released'), logo = g('logo');
  if (!name || GENERIC.has(d)) continue;
  if (!(rel || gh || (url && logo))) continue;
  nt++; add(name, name); add(d, name); add(d.replace(/-/g, ' '), name);
  for (const a of (g('aliases') || '').split(',')) if (a.trim()) { add(a.trim(), name); add(a.trim().replace(/-/g, ' '), name); }
}
// 2 linguist languages (MIT)
let cur = null, type = '', langs = 0;
for (const line of fs.readFileSync(R + 'linguist/lib/linguist/languages.yml', 'utf8').split('\n')) {
  let m; if ((m = /^("?)([^\s#][^:]*?)\1:\s*$/.exec(line)) && !line.startsWith(' ')) { cur = m[2]; type = ''; }
  else if ((m = /^ {2}type: (\w+)/.exec(line))) { type = m[1]; if (type === 'programming') { add(cur, cur); langs++; } }
}
// 3 devicon (MIT), simple-icons (CC0)
let nd = 0; for (const d of JSON.parse(fs.readFileSync(R + 'devicon/devicon.json'))) { nd++; const n = d.name; add(n, n); for (const a of d.altnames || []) add(a, n); }
const si = JSON.parse(fs.readFileSync((process.env.NM ?? './node_modules/') + 'simple-icons/data/simple-icons.json')); const brands = {};
for (const d of si) { brands[d.title.toLowerCase()] = d.title; for (const a of d.aliases?.aka || []) brands[a.toLowerCase()] = d.title; }
// places
const places = {}; for (const r of csv(show('datasets+world-cities/repo', 'data/world-cities.csv')).slice(1)) { if (r[0] && r[0].length > 2) places[r[0].toLowerCase()] = 1; if (r[2]) places[r[2].toLowerCase()] = 2; if (r[1]) places[r[1].toLowerCase()] = 3; }
// names
const given = {}, family = {}; const LATIN = /^[\p{Script=Latin}'’ -]+$/u;
for (const r of csv(show('sigpwned+popular-names-by-country-dataset/repo', 'common-forenames-by-country.csv')).slice(1)) for (const n of [r[10], r[11]]) if (n && LATIN.test(n)) given[n.toLowerCase()] = 1;
for (const r of csv(show('sigpwned+popular-names-by-country-dataset/repo', 'common-surnames-by-country.csv')).slice(1)) for (const n of [r[4], r[5]]) if (n && LATIN.test(n)) family[n.toLowerCase()] = 1;
for (const n of JSON.parse(show('dominictarr+random-name/repo/.git', 'first-names.json'))) given[n.toLowerCase()] = 1;
const orgs = {}; for (const r of csv(show('datasets+s-and-p-500-companies/repo', 'data/constituents.csv')).slice(1)) orgs[r[1].replace(/ \(.*|,? (Inc\.?|Corp(oration|\.)?|Company|Co\.|plc|Group|Holdings)$/g, '').toLowerCase()] = 1;
const out = { tech: Object.fromEntries(tech), brands, places, given, family, orgs };
fs.writeFileSync('gazetteer.json', JSON.stringify(out));
console.log({ topics: nt, langs, devicon: nd, tech: tech.size, brands: Object.keys(brands).length, places: Object.keys(places).length, given: Object.keys(given).length, family: Object.keys(family).length, orgs: Object.keys(orgs).length, bytes: fs.statSync('gazetteer.json').size });
