/** Tables for a terminal: aligned columns, and nothing in a cell that a terminal would obey. */

interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

/** Names and models come from outside; an escape sequence in one must not move the cursor or change colors. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, '\ufffd');
}

const widthOf = (text: string): number => [...text].length;

export function alignedTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string {
  const cells = [columns.map((column) => column.title), ...rows.map((row) => row.map(printable))];
  const widths = columns.map((_, index) => Math.max(...cells.map((row) => widthOf(row[index] ?? ''))));
  const lines = cells.map((row) =>
    columns
      .map((column, index) => {
        const text = row[index] ?? '';
        const padding = ' '.repeat((widths[index] ?? 0) - widthOf(text));
        return column.align === 'right' ? padding + text : text + padding;
      })
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

/** Two columns without a head, for one thing and its properties. */
export function propertyList(properties: readonly (readonly [name: string, value: string | undefined])[]): string {
  const present = properties.filter(([, value]) => value !== undefined);
  const width = Math.max(...present.map(([name]) => widthOf(name)));
  return present.map(([name, value]) => `${name.padEnd(width)}  ${printable(value ?? '')}\n`).join('');
}
