/**
 * The format's frames over a WebSocket: requests come as `response.create`, events are sent as they are in a stream.
 */

import { GatewayError } from '../../../conversation/gateway-error.ts';
import { isObject, type Tree } from '../../../conversation/json-tree.ts';
import { errorWords } from '../../openai-error-words.ts';
import { promptField, text } from '../wire.ts';

export interface CreateFrame {
  readonly kind: 'create';
  /** The request itself where the frame wraps it; otherwise the frame is the request, apart from `edits`. */
  readonly wrapped: Tree | undefined;
  /** Top-level fields to set, as JSON texts, or to leave out: what belongs to the socket and not to the request. */
  readonly edits: ReadonlyMap<string, string | undefined>;
  /** False where the request is only to be made ready. */
  readonly generates: boolean;
  /** Requests of one lane run one after the other. */
  readonly lane: string | undefined;
}

/** A frame that starts nothing, and the answer to it, if any. */
interface AnsweredFrame {
  readonly kind: 'answered';
  readonly answer: string | undefined;
}

const laneLengthMax = 128;

const edits: ReadonlyMap<string, string | undefined> = new Map([
  ['type', undefined],
  ['generate', undefined],
  ['stream_id', undefined],
  ['background', undefined],
  ['stream', 'true'],
]);

/** Throws a GatewayError that names what is wrong with it. */
export function readFrame(frame: Tree): CreateFrame | AnsweredFrame {
  const { type } = frame;
  if (type === undefined) throw new GatewayError('field_missing', 'The field `type` is missing.', { param: 'type' });
  // One agent reports when it is done with a reply; it expects no answer.
  if (type === 'response.processed') return { kind: 'answered', answer: undefined };
  if (type === 'response.steer') return { kind: 'answered', answer: steerFailed(frame) };
  if (type !== 'response.create') throw invalid('type', 'must be `response.create`');
  const wrapped = isObject(frame['response']) && frame['model'] === undefined ? frame['response'] : undefined;
  const { generate, background } = { ...wrapped, ...frame };
  if (generate !== undefined && typeof generate !== 'boolean') throw invalid('generate', 'must be true or false');
  if (background === true) throw invalid('background', 'cannot be true over a WebSocket');
  return { kind: 'create', wrapped, edits, generates: generate !== false, lane: readLane(frame['stream_id']) };
}

function readLane(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  const lane = text(value);
  if (lane === undefined || lane === '' || lane.length > laneLengthMax) {
    throw invalid('stream_id', `must be a text of at most ${laneLengthMax} characters`);
  }
  return lane;
}

/** Input that comes while the model writes cannot reach it; the client gets it back and sends it with its next request. */
function steerFailed({ previous_response_id: id, input }: Tree): string {
  return JSON.stringify({
    type: 'response.steer.failed',
    sequence_number: 0,
    steer: { previous_response_id: text(id) ?? '', input: input ?? '' },
    error: {
      type: 'invalid_request_error',
      code: 'steering_not_supported',
      message: 'Weir does not steer a reply that is being written. Send the input with the next request.',
    },
  });
}

/** Events of a lane carry its name. */
export function inLane(event: string, lane: string | undefined): string {
  return lane === undefined ? event : `${event.slice(0, event.lastIndexOf('}'))},"stream_id":${JSON.stringify(lane)}}`;
}

const betaHeader = 'openai-beta';
const socketBeta = 'responses_websockets';

/** The head of the handshake as each request of the connection carries it: without what concerns the handshake alone. */
export function requestHeaders(handshake: Iterable<[string, string]>): Headers {
  const headers = new Headers([...handshake]);
  // A key for one request does not apply to all requests of the connection.
  headers.delete('idempotency-key');
  const features = (headers.get(betaHeader) ?? '').split(',').filter((name) => !name.trim().startsWith(socketBeta));
  headers.set(betaHeader, features.join(',').trim());
  if (headers.get(betaHeader) === '') headers.delete(betaHeader);
  return headers;
}

/** Clients of the socket handle this code by sending the whole conversation instead. */
const unknownPrevious = 'previous_response_not_found';

export function errorFrame(error: GatewayError, requestId: string, lane: string | undefined): string {
  const headers: Record<string, string> = { 'x-request-id': requestId };
  if (error.retryAfterMs !== undefined) headers['retry-after'] = String(Math.ceil(error.retryAfterMs / 1000));
  const { type, code, param } = errorWords(error, promptField);
  const event = {
    type: 'error',
    status: error.status,
    error: {
      type,
      code: code === 'response_not_stored' ? unknownPrevious : code,
      message: error.message,
      param: param === '' ? null : param,
      headers,
    },
  };
  return inLane(JSON.stringify(event), lane);
}

/** The last event of a connection that has reached its longest lifetime. */
export function lifetimeFrame(lifetimeMs: number): string {
  const minutes = Math.round(lifetimeMs / 60_000);
  return JSON.stringify({
    type: 'error',
    status: 400,
    error: {
      type: 'invalid_request_error',
      code: 'websocket_connection_limit_reached',
      message: `A connection lasts ${minutes} minutes at most. Open a new one.`,
      param: null,
    },
  });
}

function invalid(param: string, rule: string): GatewayError {
  return new GatewayError('field_invalid', `The field \`${param}\` ${rule}.`, { param });
}
