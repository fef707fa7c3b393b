/** The sandbox's engines by operation: each turns a request on the callers' wire into the reply on that wire. */

import { splittings } from '../../operations/splittings.ts';
import type { OperationTypes } from '../../operations/types.ts';
import type { OperationName, WrittenReply } from '../../operations/wire.ts';
import type { Engine } from './operations-handler.ts';

type Engines = { readonly [Name in OperationName]: () => Promise<Engine<Name>> };

/** Long work is done in turns: what came meanwhile is looked at between them. */
const inputsPerTurn = 16;
const othersFirst = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

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

function responseOf({ contentType, body }: WrittenReply): Response {
  return new Response(body, { headers: { 'content-type': contentType } });
}

/** Loaded with the first request for them: some bring threads and data with them. */
export const engines: Engines = {
  embed: async () => {
    const { embedTexts } = await import('./operations/embed.ts');
    return whole(async (request) => {
      const parts = splittings.embed?.split(request, inputsPerTurn) ?? [request];
      const replies = [];
      for (const part of parts) {
        replies.push(embedTexts(part));
        await othersFirst();
      }
      return splittings.embed?.join(replies) ?? embedTexts(request);
    });
  },
  rerank: async () => {
    const { rankDocuments } = await import('./operations/rerank.ts');
    return whole((request, { making }) => rankDocuments(request, making.newId('rerank-')));
  },
  moderate: async () => {
    const { moderateInputs } = await import('./operations/moderate.ts');
    return whole(async (request, { making, model }) => {
      const id = making.newId('modr-');
      const results = [];
      for (const input of request.inputs) {
        results.push(...moderateInputs({ ...request, inputs: [input] }, id, model).results);
        await othersFirst();
      }
      return { ...moderateInputs({ ...request, inputs: [] }, id, model), results };
    });
  },
  'make-image': async () => (await import('./picture-engine.ts')).makeImage,
  'edit-image': async () => (await import('./picture-engine.ts')).editImage,
  speak: async () => (await import('./sound-engine.ts')).speakEngine,
  transcribe: async () => (await import('./sound-engine.ts')).transcribeEngine,
  translate: async () => (await import('./sound-engine.ts')).translateEngine,
};
