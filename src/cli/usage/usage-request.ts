/** One request as `weir usage show` prints it: what became of it, and the trail of its attempts. */

import type { AttemptView, RequestErrorView, RequestView, UsageRowView } from '../../admin/contracts/contract.ts';
import { alignedTable, printable, propertyList } from '../table.ts';
import { costText, rowNotes } from './usage-cost.ts';

export function requestText({ requestId, row, attempts, error, way }: RequestView): string {
  const facts = row === undefined ? stillRunning : propertiesOf(row);
  const head = propertyList([['request', requestId], ...facts, ...lanesOf(way), ['error', error?.message]]);
  const trail = attempts.length === 0 ? 'No provider was called.\n' : trailTable(attempts);
  return `${head}\n${trail}${reasons(attempts)}${rowNotes(row === undefined ? [] : [row])}`;
}

function lanesOf(way: RequestView['way']): [name: string, value: string | undefined][] {
  if (way === undefined) return [];
  const names = (losses: readonly string[]): string | undefined =>
    losses.length === 0 ? undefined : printable(losses.join(', '));
  return [
    ['lane', way.from === way.to ? `${way.lane} ${way.from}` : `${way.lane} ${way.from} to ${way.to}`],
    ['lost of request', names(way.losses)],
    ['lost of reply', names(way.replyLosses)],
  ];
}

/** What providers said, a line for each attempt that failed. */
function reasons(attempts: readonly AttemptView[]): string {
  const lines = attempts.flatMap(({ id, error }) =>
    error === undefined ? [] : [`attempt ${ordinalOf(id)}: ${reasonText(error)}\n`],
  );
  return lines.length === 0 ? '' : `\n${lines.join('')}`;
}

function reasonText({ status, message }: RequestErrorView): string {
  // A provider's message may have several lines.
  const line = printable(message.replaceAll(/\s+/g, ' '));
  return status === undefined ? line : `${status} ${line}`;
}

const ordinalOf = (attemptId: string): string => attemptId.slice(attemptId.lastIndexOf('.') + 1);

const stillRunning = [['status', 'running']] as const;

/** With the milliseconds: a whole trail may fit into one second. */
const timeText = (iso: string): string => iso.slice(0, 23).replace('T', ' ');

function propertiesOf(row: UsageRowView): [name: string, value: string | undefined][] {
  return [
    ['time', `${timeText(row.at)} UTC`],
    ['token', row.tokenId],
    ['endpoint', row.endpoint],
    ['model', row.model],
    ['stream', row.stream ? 'yes' : 'no'],
    ['status', row.code === '' ? String(row.status) : `${row.status} ${row.code}`],
    ['requests', row.requests === undefined ? undefined : `${row.requests}, counted together`],
    ['input tokens', row.inputTokens?.toString()],
    ['output tokens', row.outputTokens?.toString()],
    ['cost', costText(row)],
    ['price', row.priceVersion],
    ['first event', row.firstEventMs === undefined ? undefined : `${Math.round(row.firstEventMs)} ms`],
    ['total', `${Math.round(row.totalMs)} ms`],
  ];
}

function trailTable(attempts: readonly AttemptView[]): string {
  return alignedTable(
    [
      { title: 'ATTEMPT', align: 'right' },
      { title: 'TIME (UTC)' },
      { title: 'PROVIDER' },
      { title: 'MODEL' },
      { title: 'KEY' },
      { title: 'VERDICT' },
      { title: 'MS', align: 'right' },
      { title: 'COST', align: 'right' },
    ],
    attempts.map((attempt) => [
      ordinalOf(attempt.id),
      timeText(attempt.at),
      attempt.provider,
      attempt.model,
      attempt.keyId || '-',
      verdictText(attempt),
      attempt.totalMs === undefined ? '-' : String(attempt.totalMs),
      attempt.costUsd === undefined ? '-' : costText({ costUsd: attempt.costUsd, estimated: attempt.estimated }),
    ]),
  );
}

function verdictText({ verdict, settledAt }: AttemptView): string {
  if (settledAt === undefined) return 'open';
  if (verdict === undefined) return '?';
  return verdict === '' ? 'served' : verdict;
}
