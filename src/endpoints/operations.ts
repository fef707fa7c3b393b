/** The endpoints other than conversations: one row each. */

import { cohereChat } from '../formats/cohere-chat/format.ts';
import { geminiGenerate } from '../formats/gemini-generate/format.ts';
import { openaiChat } from '../formats/openai-chat/format.ts';
import type { Route } from '../http/route-table.ts';
import { cohereEmbedClient } from '../operations/embed/cohere-embed-client.ts';
import { geminiBatchEmbedContents, geminiEmbedContent } from '../operations/embed/gemini-embed-client.ts';
import type { OperationName } from '../operations/wire.ts';
import { clientWires } from '../operations/wires.ts';
import type { EndpointName } from '../snippets/endpoints.ts';
import { generateCarriers, type ModelAction } from './conversations/generate-content.ts';
import {
  type OperationEndpoint,
  type OperationParts,
  operationHandler,
  operationRoutes,
} from './operation-endpoint.ts';

interface Row {
  readonly name: EndpointName;
  readonly operation: OperationName;
  readonly paths: readonly string[];
  readonly takes: readonly ('json' | 'form')[];
}

const rows: readonly Row[] = [
  { name: 'embeddings', operation: 'embed', paths: ['/v1/embeddings'], takes: ['json'] },
  { name: 'moderations', operation: 'moderate', paths: ['/v1/moderations'], takes: ['json'] },
  { name: 'rerank', operation: 'rerank', paths: ['/v1/rerank', '/v2/rerank'], takes: ['json'] },
  { name: 'images', operation: 'make-image', paths: ['/v1/images/generations'], takes: ['json'] },
  { name: 'images', operation: 'edit-image', paths: ['/v1/images/edits'], takes: ['json', 'form'] },
  { name: 'speech', operation: 'speak', paths: ['/v1/audio/speech'], takes: ['json'] },
  { name: 'transcriptions', operation: 'transcribe', paths: ['/v1/audio/transcriptions'], takes: ['form'] },
  { name: 'transcriptions', operation: 'translate', paths: ['/v1/audio/translations'], takes: ['form'] },
];

export function allOperationRoutes(parts: OperationParts): readonly Route[] {
  return [...rows.flatMap((row) => routesOf(row, row.operation, parts)), ...cohereEmbedRoutes(parts)];
}

/** The same operation on the wire of another library, which has its own error format. */
function cohereEmbedRoutes(parts: OperationParts): readonly Route[] {
  const endpoint: OperationEndpoint<'embed'> = {
    name: 'embeddings',
    operation: 'embed',
    wire: cohereEmbedClient,
    carriers: ['bearer'],
    format: cohereChat,
    takes: ['json'],
  };
  return operationRoutes(endpoint, ['/v2/embed'], parts);
}

function routesOf<Name extends OperationName>(
  { name, paths, takes }: Row,
  operation: Name,
  parts: OperationParts,
): readonly Route[] {
  const endpoint: OperationEndpoint<Name> = {
    name,
    operation,
    wire: clientWires[operation],
    carriers: ['bearer', 'api-key'],
    format: openaiChat,
    takes,
  };
  return operationRoutes(endpoint, paths, parts);
}

/** The actions after a model's colon that request embeddings. */
export function embedActions(parts: OperationParts): Readonly<Record<string, ModelAction>> {
  const action = (wire: typeof geminiEmbedContent): ModelAction => {
    const handle = operationHandler(
      {
        name: 'embeddings',
        operation: 'embed',
        wire,
        carriers: generateCarriers,
        format: geminiGenerate,
        takes: ['json'],
      },
      parts,
    );
    return (exchange, model) => handle(exchange, model);
  };
  return { embedContent: action(geminiEmbedContent), batchEmbedContents: action(geminiBatchEmbedContents) };
}
