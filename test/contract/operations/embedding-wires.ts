/** The embedding wires as their vendors document them, each with a vector that tells which text it belongs to. */

import { providerKey } from './bench.ts';
import { type Answer, bearerIs, demand, headerIs, jsonOf, listOf, textsOf } from './scripted.ts';

/** The number in the text, a fraction that 32 bits hold exactly, and one that they do not. */
export function vectorOf(text: string): number[] {
  return [Number(/\d+/.exec(text)?.[0] ?? -1), 0.25, 0.1];
}

/** What every scripted provider counts: the characters. */
export function tokensOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.length, 0);
}

/** A vector of the requested length. */
function cut(vector: number[], length: unknown): number[] {
  return typeof length === 'number' ? vector.slice(0, length) : vector;
}

export function base64Of(vector: readonly number[]): string {
  return Buffer.from(new Float32Array(vector).buffer).toString('base64');
}

/** Most servers honor the encoding; some support floats alone, one nothing but base64. */
export function chatFamily(manner: 'honors' | 'floats' | 'base64', inputsMax = 2_048): Answer {
  return (seen) => {
    demand(seen.path === '/v1/embeddings', 'its path');
    bearerIs(seen, providerKey);
    const { model, input, encoding_format: encoding, dimensions } = jsonOf(seen);
    demand(typeof model === 'string' && model.startsWith('text-embedding'), 'one of its models');
    const given = typeof input === 'string' ? [input] : listOf(input, inputsMax, 'input');
    const isTokens = typeof given[0] === 'number';
    const texts = isTokens ? [`tokens ${given.join('')}`] : given.map((one) => (Array.isArray(one) ? '0' : `${one}`));
    const inBase64 = manner === 'base64' || (manner === 'honors' && encoding === 'base64');
    const data = texts.map((text, index) => {
      const vector = cut(vectorOf(text), dimensions);
      return { object: 'embedding', index, embedding: inBase64 ? base64Of(vector) : vector };
    });
    const total = tokensOf(texts);
    return Response.json({ object: 'list', data, model, usage: { prompt_tokens: total, total_tokens: total } });
  };
}

export const cohere: Answer = (seen) => {
  demand(seen.path === '/v2/embed', 'its path');
  bearerIs(seen, providerKey);
  const fields = [
    'model',
    'texts',
    'inputs',
    'input_type',
    'embedding_types',
    'output_dimension',
    'truncate',
    'max_tokens',
  ];
  const tree = jsonOf(seen, fields);
  const mixed = tree['inputs'] as { content: { text: string }[] }[] | undefined;
  const texts = textsOf(tree['texts'] ?? mixed?.map(({ content }) => content[0]?.text), 96, 'texts');
  const kinds = ['search_query', 'search_document', 'classification', 'clustering'];
  demand(kinds.includes(`${tree['input_type']}`), 'input_type');
  demand(listOf(tree['embedding_types'], 5, 'embedding_types').includes('float'), 'floats');
  demand([undefined, 256, 512, 1024, 1536].includes(tree['output_dimension'] as number), 'output_dimension');
  return Response.json({
    id: 'e-1',
    embeddings: { float: texts.map(vectorOf) },
    texts,
    response_type: 'embeddings_by_type',
    meta: { api_version: { version: '2' }, billed_units: { input_tokens: tokensOf(texts) } },
  });
};

interface Listed {
  readonly fields: readonly string[];
  readonly length: string;
  readonly inputsMax: number;
  readonly purposes?: { readonly field: string; readonly words: readonly string[] };
}

/** Wires similar to the chat family's, which refuse unknown fields. */
function listed({ fields, length, inputsMax, purposes }: Listed): Answer {
  return (seen) => {
    demand(seen.path === '/v1/embeddings', 'its path');
    bearerIs(seen, providerKey);
    const tree = jsonOf(seen, ['model', 'input', length, ...fields]);
    const texts = textsOf(tree['input'], inputsMax, 'input');
    const purpose = purposes === undefined ? undefined : tree[purposes.field];
    demand(purpose === undefined || purposes?.words.includes(`${purpose}`), 'a purpose that it knows');
    // Only its indexes give the order of a list.
    const data = texts
      .map((text, index) => ({ object: 'embedding', index, embedding: cut(vectorOf(text), tree[length]) }))
      .reverse();
    return Response.json({ object: 'list', data, model: tree['model'], usage: { total_tokens: tokensOf(texts) } });
  };
}

export const jina = listed({
  fields: ['task', 'late_chunking', 'normalized', 'truncate', 'embedding_type'],
  length: 'dimensions',
  inputsMax: 512,
  purposes: {
    field: 'task',
    words: ['retrieval.query', 'retrieval.passage', 'classification', 'separation', 'text-matching'],
  },
});

export const voyage = listed({
  fields: ['input_type', 'truncation', 'output_dtype', 'encoding_format'],
  length: 'output_dimension',
  inputsMax: 1_000,
  purposes: { field: 'input_type', words: ['query', 'document'] },
});

export const mistral = listed({
  fields: ['output_dtype', 'metadata'],
  length: 'output_dimension',
  inputsMax: 128,
});

const taskTypes = [
  'RETRIEVAL_QUERY',
  'RETRIEVAL_DOCUMENT',
  'SEMANTIC_SIMILARITY',
  'CLASSIFICATION',
  'CLUSTERING',
  'QUESTION_ANSWERING',
  'FACT_VERIFICATION',
  'CODE_RETRIEVAL_QUERY',
];
const otherFields = ['model', 'content', 'outputDimensionality'];

export const gemini: Answer = (seen) => {
  const [, model] = /^\/v1beta\/models\/([^/:]+):batchEmbedContents$/.exec(seen.path) ?? [];
  demand(model !== undefined, 'its path');
  headerIs(seen, 'x-goog-api-key', providerKey);
  const requests = listOf(jsonOf(seen, ['requests'])['requests'], 100, 'requests') as readonly {
    readonly model: string;
    readonly content: { readonly parts: readonly { readonly text: string }[] };
    readonly taskType?: string;
    readonly title?: string;
    readonly outputDimensionality?: number;
  }[];
  demand(
    requests.every((one) => one.model === `models/${model}`),
    'the model in every request',
  );
  for (const { taskType, title, ...rest } of requests) {
    for (const name of Object.keys(rest)) demand(otherFields.includes(name), `no field ${name}`);
    demand(taskType === undefined || taskTypes.includes(taskType), 'a task type that it knows');
    demand(title === undefined || taskType === 'RETRIEVAL_DOCUMENT', 'a title of documents only');
  }
  const texts = requests.map(({ content }) => content.parts[0]?.text ?? '');
  const embeddings = requests.map(({ outputDimensionality }, index) => ({
    values: cut(vectorOf(texts[index] ?? ''), outputDimensionality),
  }));
  return Response.json({ embeddings, usageMetadata: { promptTokenCount: tokensOf(texts) } });
};
