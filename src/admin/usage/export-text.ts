/** Rows as the text of a file: CSV for tables, JSON for programs. */

export type ExportRecord = Readonly<Record<string, string | number | null>>;

export async function* csvTable<Row extends object>(
  columns: readonly (keyof Row & string)[],
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string> {
  yield `${columns.join(',')}\r\n`;
  for await (const rows of pages) {
    yield rows.map((row) => `${columns.map((column) => csvCell(column, row[column])).join(',')}\r\n`).join('');
  }
}

/** A list in one cell: a tag may have spaces in it, but no comma. */
export const listText = (column: string, list: readonly unknown[]): string => list.join(column === 'tags' ? ',' : ' ');

/** A name that a caller made up must not become a formula in a spreadsheet. */
function csvCell(column: string, value: unknown): string {
  const text = Array.isArray(value) ? listText(column, value) : String(value ?? '');
  const isText = typeof value === 'string' || Array.isArray(value);
  const harmless = isText && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** One array, a row on each line. */
export async function* jsonText(pages: AsyncIterable<readonly object[]>): AsyncGenerator<string> {
  let before = '[\n';
  for await (const rows of pages) {
    yield before + rows.map((row) => JSON.stringify(row)).join(',\n');
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}
