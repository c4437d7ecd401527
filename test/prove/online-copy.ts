import Database from 'better-sqlite3';

/**
 * A process of its own, not the service: copies the file at `argv[2]` to `argv[3]` again and again while it is
 * written to, until its standard input ends. Prints one line per copy; exits 1 on any failure.
 */
const [source, target] = process.argv.slice(2);
if (!source || !target) throw new Error('usage: online-copy SOURCE TARGET');
let ending = false;
process.stdin.resume().once('end', () => {
  ending = true;
});
const database = new Database(source, { readonly: true, timeout: 5_000 });
do {
  const { totalPages } = await database.backup(target);
  console.log(`copied ${totalPages} pages`);
} while (!ending);
database.close();
