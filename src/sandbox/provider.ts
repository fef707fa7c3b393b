/** The sandbox as a provider: free, without keys, always available. Its code is loaded with the first call; its models are known before. */

import { type ModelNote, type Provider, providerOf } from '../providers/assemble.ts';
import { abortSignalOf } from '../upstream/cancellation.ts';
import { replyFromResponse } from '../upstream/from-response.ts';
import { parametersOf, type SandboxModel, sandboxModels } from './models.ts';
import type { SandboxOptions } from './options.ts';
import { sandboxPreset } from './preset.ts';
import type { Sandbox } from './transport/transport.ts';

/** The pace is read for every stream: it may change at run time. */
export function sandboxProvider(settings: { readonly paceMs: number }): Provider {
  const options: SandboxOptions = {
    get paceMs() {
      return settings.paceMs;
    },
    nowMs: Date.now,
    newId: () => Bun.randomUUIDv7('base64url'),
    wait,
  };
  let loaded: Promise<Sandbox> | undefined;
  const load = (): Promise<Sandbox> => {
    loaded ??= import('./transport/transport.ts').then(({ createSandbox }) => createSandbox(options));
    return loaded;
  };
  return providerOf({
    preset: sandboxPreset,
    name: 'sandbox',
    baseUrl: sandboxPreset.baseUrl,
    keys: [],
    headers: {},
    models: sandboxModels.map(({ id }) => id),
    notes: new Map(sandboxModels.map((model) => [model.id, noteOf(model)])),
    transport: async (request) => {
      request.signal.markSent?.();
      const sandbox = await load();
      return replyFromResponse(await sandbox.answer({ ...request, signal: abortSignalOf(request.signal) }));
    },
    sockets: async (request, listener) => (await load()).sockets(request, listener),
    free: true,
  });
}

function noteOf(model: SandboxModel): ModelNote {
  const { contextTokens, description, modalities, operations = ['converse'] } = model;
  const parameters = parametersOf(model);
  return {
    contextTokens,
    description,
    inputModalities: modalities.input,
    outputModalities: modalities.output,
    operations,
    ...(parameters !== undefined && { parameters }),
  };
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
