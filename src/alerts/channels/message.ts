/** What is sent to a channel, before it has the shape of that channel. */

import type { AlertRecord, Notice, Severity } from '../../store/alerts/alert-records.ts';

export interface Message {
  /** The same for every try, so that a receiver recognizes a second delivery. */
  readonly id: string;
  readonly items: readonly MessageItem[];
  /** A summary of what quiet hours held back. */
  readonly isDigest: boolean;
  readonly isTest: boolean;
  readonly atMs: number;
  /** The console's page about alerts, where Weir's public URL is known. */
  readonly url?: string | undefined;
}

export interface MessageItem {
  readonly notice: Notice;
  readonly alert: AlertRecord;
}

/** Every channel shows at most so many; the rest is counted. */
const itemsShownMax = 20;

export function titleOf({ items, isDigest, isTest }: Message): string {
  if (isTest) return 'Weir: test of this channel';
  const [first] = items;
  if (!isDigest && items.length === 1 && first !== undefined) return `Weir: ${itemTitle(first)}`;
  return `Weir: ${items.length} ${items.length === 1 ? 'alert' : 'alerts'} from quiet hours`;
}

export function itemTitle({ notice, alert }: MessageItem): string {
  if (notice === 'resolved') return `Resolved: ${alert.title}`;
  return notice === 'repeated' ? `Still: ${alert.title}` : alert.title;
}

/** A line or two for each alert. */
export function shownItems(message: Message): { readonly shown: readonly MessageItem[]; readonly hidden: number } {
  return { shown: message.items.slice(0, itemsShownMax), hidden: Math.max(0, message.items.length - itemsShownMax) };
}

export function hiddenText(hidden: number): string {
  return `And ${hidden} more. The console lists all of them.`;
}

/** The worst of those that are not over. */
export function severityOf({ items }: Message): Severity | 'resolved' {
  const firing = items.filter(({ notice }) => notice !== 'resolved').map(({ alert }) => alert.severity);
  if (firing.length === 0) return 'resolved';
  if (firing.includes('critical')) return 'critical';
  return firing.includes('warning') ? 'warning' : 'info';
}

/** What the test button sends. */
export function testMessage(id: string, atMs: number, url: string | undefined): Message {
  const alert: AlertRecord = {
    id,
    kind: 'budget',
    subject: 'test',
    occurrence: new Date(atMs).toISOString(),
    threshold: 'test',
    subjectName: 'test',
    severity: 'info',
    title: 'Test alert',
    detail: 'This channel receives alerts of Weir. Nothing happened.',
    facts: {},
    state: 'noted',
    raisedAtMs: atMs,
    seenAtMs: atMs,
  };
  return { id, items: [{ notice: 'raised', alert }], isDigest: false, isTest: true, atMs, url };
}

/** No pair of surrogates is cut in two. */
export function cut(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  return `${text.slice(0, lengthMax - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}
