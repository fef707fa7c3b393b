/** The engines by operation: each turns a request in the client's wire format into a reply in that format. */

import type { OperationTypes } from '../../operations/types.ts';
import type { OperationName } from '../../operations/wire.ts';
import { runInSlices } from '../time-slices.ts';
import { type Engine, responseOf } from './operations-handler.ts';

type Engines = { readonly [Name in OperationName]: () => Promise<Engine<Name>> };

/** An engine whose reply comes in one piece. */
function whole<Name extends OperationName>(
  work: (
    request: OperationTypes[Name]['request'],
    context: Parameters<Engine<Name>>[2],
  ) => OperationTypes[Name]['reply'] | Promise<OperationTypes[Name]['reply']>,
): Engine<Name> {
  return async (body, wire, context) => {
    const request = wire.readRequest(body, context.model).value;
    return responseOf(wire.writeReply(await work(request, context), request, context.making));
  };
}

/** Loaded with the first request for them. */
export const engines: Engines = {
  embed: async () => {
    const { embedInSlices } = await import('../operations/embed.ts');
    return whole((request, { signal }) => runInSlices(embedInSlices(request), signal));
  },
  rerank: async () => {
    const { rankInSlices } = await import('../operations/rerank.ts');
    return whole((request, { making, signal }) => runInSlices(rankInSlices(request, making.newId('rerank-')), signal));
  },
  moderate: async () => {
    const { moderateInSlices } = await import('../operations/moderate.ts');
    return whole((request, { making, model, signal }) =>
      runInSlices(moderateInSlices(request, making.newId('modr-'), model), signal),
    );
  },
  'make-image': async () => (await import('./image-engine.ts')).makeImage,
  'edit-image': async () => (await import('./image-engine.ts')).editImage,
  speak: async () => (await import('./audio-engine.ts')).speakEngine,
  transcribe: async () => (await import('./audio-engine.ts')).transcribeEngine,
  translate: async () => (await import('./audio-engine.ts')).translateEngine,
};
