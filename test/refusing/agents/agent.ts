/** An agent's first request: what it sends to any model. */

import type { Json, WireName } from '../rules/refusal.ts';

export interface Agent {
  readonly name: string;
  readonly wire: WireName;
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent in agents that write their edits as text. */
  readonly callsTools: boolean;
  /** The body of its first request; the sender adds whether to stream. */
  first(model: string): Json;
}

/** Schemas of agents hold what generators write: a dialect, closed objects, exclusive bounds. */
export const readSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: {
    path: { type: 'string', description: 'The file.' },
    limit: { type: 'integer', exclusiveMinimum: 0, maximum: 2_000 },
  },
  required: ['path'],
  additionalProperties: false,
} as const;

export const runSchema = {
  type: 'object',
  properties: {
    command: { type: 'array', items: { type: 'string' } },
    timeout_ms: { type: ['number', 'null'] },
  },
  required: ['command'],
  additionalProperties: false,
} as const;

export const task = 'Read a.txt and say what it holds.';
