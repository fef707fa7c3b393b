/** The first line of a reply's head. */

import { STATUS_CODES } from 'node:http';

const lines = new Map<number, string>();

export function statusLine(status: number): string {
  const known = lines.get(status);
  if (known !== undefined) return known;
  const line = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Status'}\r\n`;
  lines.set(status, line);
  return line;
}
