/**
 * First characters that make a spreadsheet read a cell as a formula
 * (https://owasp.org/www-community/attacks/CSV_Injection).
 */
const formula = /^[=+\-@\t\r]/;
const needsQuotes = /[",\r\n]/;

function cell(text: string): string {
  const harmless = formula.test(text) ? `'${text}` : text;
  return needsQuotes.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/**
 * Rows as CSV by RFC 4180, each ended by CR LF. An apostrophe precedes a cell that a spreadsheet would run.
 */
export function toCsv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}
