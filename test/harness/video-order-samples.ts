/** Small orders, uploads and tasks that the tests of this folder share. */

import { GatewayError } from '../../src/conversation/gateway-error.ts';
import type { ShownTask } from '../../src/operations/video/task-object.ts';
import type { FormField, FormFile, WireBody } from '../../src/operations/wire.ts';

export function json(tree: object): WireBody {
  return { kind: 'json', tree: tree as Record<string, unknown> };
}

/** As it arrives: parsed, so that `__proto__` is a key like any other. */
export function parsed(text: string): WireBody {
  return { kind: 'json', tree: JSON.parse(text) as Record<string, unknown> };
}

export function form(...fields: readonly (readonly [string, string | FormFile])[]): WireBody {
  return { kind: 'form', fields: fields.map(([name, value]): FormField => ({ name, value })) };
}

export function upload(field: string, mediaType: string, filename: string | undefined, bytes = 3): FormFile {
  return {
    field,
    filename,
    mediaType,
    bytes,
    async *open() {
      yield new Uint8Array([1, 2, 3]);
    },
  };
}

export interface Fault {
  readonly code: string;
  readonly status: number;
  readonly param: string;
}

/** What a check refuses; an error where it refuses nothing. */
export function faultOf(check: (body: WireBody) => unknown, body: WireBody): Fault {
  try {
    check(body);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { code: error.code, status: error.status, param: error.param };
  }
  throw new Error(`accepted ${JSON.stringify(body).slice(0, 200)}`);
}

export const queued: ShownTask = {
  id: 'task_1',
  state: 'queued',
  model: 'sandbox-video',
  percent: 0,
  requested: { count: 1 },
  facts: {},
  results: [],
  error: undefined,
  terms: { most: { videoSeconds: 5, videos: 1 } },
  createdAtMs: 1_770_000_000_900,
  endedAtMs: undefined,
  expiresAtMs: undefined,
};
