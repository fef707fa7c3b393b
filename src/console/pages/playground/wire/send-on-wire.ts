/** Sends a request with the token, shows it in the wire panel as it happens, and turns a refusal into an error that says why. */

import type { AskError } from '../../../api/ask.ts';
import { callGateway, refusalOf } from '../../../api/call-gateway.ts';
import type { PlaygroundToken, WireBody, WireExchange, WireLog, WireRequest } from '../playground-contract.ts';

interface SendOptions {
  readonly wire: WireLog;
  readonly token: PlaygroundToken;
  readonly model?: string;
  readonly signal?: AbortSignal;
}

interface Sent {
  readonly response: Response;
  /** Open until whoever reads the reply ends it. */
  readonly exchange: WireExchange;
}

/** The head of a reply that went well; its body is the caller's to read. Throws an `AskError` for everything else. */
export async function sendOnWire(request: WireRequest, { wire, token, model, signal }: SendOptions): Promise<Sent> {
  const exchange = wire.begin(request, model === undefined ? {} : { model });
  try {
    const response = await callGateway({
      method: request.method,
      path: request.path,
      token: token.value,
      ...(request.headers !== undefined && { headers: request.headers }),
      ...(request.body !== undefined && { body: bodyOf(request.body) }),
      ...(signal !== undefined && { signal }),
    });
    exchange.head(response.status, response.headers);
    if (response.ok) return { response, exchange };
    const text = await response.text();
    exchange.event(text);
    throw refusalOf(text, response);
  } catch (error) {
    exchange.end(failureText(error));
    throw error;
  }
}

function bodyOf(body: WireBody): string | FormData {
  if (body.kind === 'json') return JSON.stringify(body.value);
  const form = new FormData();
  for (const [name, value] of body.fields) form.append(name, value);
  return form;
}

export function failureText(error: unknown): string {
  const known = error as Partial<AskError>;
  if (known.code === 'unreachable') return 'unreachable';
  return error instanceof Error && error.message !== '' ? error.message : String(error);
}
