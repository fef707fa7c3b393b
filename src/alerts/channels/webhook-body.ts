/** Standard Webhooks: a JSON event with its id, time and signature. https://www.standardwebhooks.com (read 2026-11-17). */

import { signedHeaders } from '../../tasks/delivery/callbacks.ts';
import type { Message, MessageItem } from './message.ts';

/** The shape of every event: `type`, `timestamp`, `data`. */
export function webhookBody(message: Message): string {
  const { items, isDigest, isTest, atMs } = message;
  const [first] = items;
  const type = isTest ? 'alert.test' : isDigest ? 'alert.digest' : `alert.${first?.notice ?? 'raised'}`;
  const data = isDigest ? { alerts: items.map(dataOf) } : first && dataOf(first);
  return JSON.stringify({ type, timestamp: new Date(atMs).toISOString(), data });
}

function dataOf({ notice, alert }: MessageItem) {
  const { id, kind, severity, subject, subjectName, occurrence, threshold, title, detail, facts, state } = alert;
  return {
    ...{ id, notice, kind, severity, state, subject, subjectName, occurrence, threshold, title, detail, facts },
    raisedAt: new Date(alert.raisedAtMs).toISOString(),
    ...(alert.resolvedAtMs !== undefined && { resolvedAt: new Date(alert.resolvedAtMs).toISOString() }),
  };
}

export function webhookHeaders(secret: string, id: string, body: string, nowMs: number): Record<string, string> {
  return { ...signedHeaders([secret], id, body, nowMs), 'content-type': 'application/json' };
}
