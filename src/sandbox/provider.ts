/** The sandbox as a provider among the others: it costs nothing, needs no key and is always there. */

import { type Provider, providerOf } from '../providers/assemble.ts';
import { abortSignalOf } from '../upstream/cancellation.ts';
import { replyFromResponse } from '../upstream/from-response.ts';
import { parametersOf } from './models.ts';
import { createSandbox } from './transport.ts';

/** The pace is read anew for every stream: it may change while Weir runs. */
export function sandboxProvider(settings: { readonly paceMs: number }): Provider {
  const sandbox = createSandbox({
    get paceMs() {
      return settings.paceMs;
    },
    nowMs: Date.now,
    newId: () => Bun.randomUUIDv7('base64url'),
    wait,
  });
  return providerOf({
    preset: sandbox.preset,
    name: 'sandbox',
    baseUrl: sandbox.preset.baseUrl,
    keys: [],
    headers: {},
    models: sandbox.models.map(({ id }) => id),
    notes: new Map(
      sandbox.models.map((model) => {
        const { contextTokens, description, modalities, operations = ['converse'] } = model;
        const parameters = parametersOf(model);
        return [
          model.id,
          {
            contextTokens,
            description,
            inputModalities: modalities.input,
            outputModalities: modalities.output,
            operations,
            ...(parameters !== undefined && { parameters }),
          },
        ];
      }),
    ),
    transport: async (request) => {
      request.signal.markSent?.();
      return replyFromResponse(await sandbox.answer({ ...request, signal: abortSignalOf(request.signal) }));
    },
    sockets: sandbox.sockets,
    free: true,
  });
}

function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
