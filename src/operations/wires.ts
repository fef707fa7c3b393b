/** Every wire by its operation and name: those of clients on the main paths, and those of providers. */

import { speakWires, transcribeWires, translateWires } from './audio/provider-wires.ts';
import { openaiSpeechClient } from './audio/wires/openai-speech.ts';
import { openaiTranscriptionsClient, openaiTranslationsClient } from './audio/wires/openai-transcriptions.ts';
import { openaiEmbeddingsClient } from './embed/openai-embeddings-client.ts';
import { embedProviderWires } from './embed/provider-wires.ts';
import { editImageWires, makeImageWires } from './images/provider-wires.ts';
import { openaiImageEditsClient } from './images/wires/openai-image-edits.ts';
import { openaiImagesClient } from './images/wires/openai-images.ts';
import { openaiModerationsClient } from './moderate/openai-moderations-client.ts';
import { moderateProviderWires } from './moderate/provider-wires.ts';
import { rerankProviderWires } from './rerank/provider-wires.ts';
import { rerankClient } from './rerank/rerank-client.ts';
import type { ClientWireOf, ProviderWireOf } from './types.ts';
import type { OperationName } from './wire.ts';

type ClientWires = { readonly [Name in OperationName]: ClientWireOf<Name> };
type ProviderWires = { readonly [Name in OperationName]: readonly ProviderWireOf<Name>[] };

export const clientWires: ClientWires = {
  embed: openaiEmbeddingsClient,
  rerank: rerankClient,
  moderate: openaiModerationsClient,
  'make-image': openaiImagesClient,
  'edit-image': openaiImageEditsClient,
  speak: openaiSpeechClient,
  transcribe: openaiTranscriptionsClient,
  translate: openaiTranslationsClient,
};

export const providerWires: ProviderWires = {
  embed: embedProviderWires,
  rerank: rerankProviderWires,
  moderate: moderateProviderWires,
  'make-image': makeImageWires,
  'edit-image': editImageWires,
  speak: speakWires,
  transcribe: transcribeWires,
  translate: translateWires,
};

export function providerWire<Name extends OperationName>(
  operation: Name,
  name: string,
): ProviderWireOf<Name> | undefined {
  return (providerWires[operation] as readonly ProviderWireOf<Name>[]).find((wire) => wire.name === name);
}
