/** The requests of the demo data in the formats of the official libraries, each drawn from a seed. */

import type { Tree } from '../../src/conversation/json-tree.ts';
import type { Draws } from './draws.ts';
import { flaggedText, imagePrompts, questions } from './texts.ts';

export interface Call {
  readonly path: string;
  readonly body: Tree;
  /** The header that carries the token. */
  readonly carrier: 'authorization' | 'x-api-key' | 'x-goog-api-key';
}

/** `endUsers` is how many people the client serves; 0 where it does not say for whom it asks. */
export type MakeCall = (draws: Draws, endUsers: number) => Call;

const post = (path: string, body: Tree, carrier: Call['carrier'] = 'authorization'): Call => ({ path, body, carrier });

const outputTokensMax = 1_024;

/** A number in it makes each request another one, so that replies and their usage differ. */
const question = (draws: Draws): string => `${draws.pick(questions)} (case ${draws.int(1_000, 99_999)})`;

const endUser = (draws: Draws, endUsers: number): string | undefined =>
  endUsers === 0 ? undefined : `user-${String(draws.rank(endUsers) + 1).padStart(4, '0')}`;

const userField = (draws: Draws, endUsers: number): Tree => {
  const user = endUser(draws, endUsers);
  return user === undefined ? {} : { user };
};

interface Options {
  readonly stream?: boolean;
  /** Without it, a budget has to hold the most that the model can write. */
  readonly unbounded?: boolean;
}

export const chat =
  (model: string, { stream = false, unbounded = false }: Options = {}): MakeCall =>
  (draws, endUsers) =>
    post('/v1/chat/completions', {
      model,
      messages: [
        { role: 'system', content: 'You answer briefly and precisely.' },
        { role: 'user', content: question(draws) },
      ],
      ...(!unbounded && { max_completion_tokens: outputTokensMax }),
      ...(stream && { stream, stream_options: { include_usage: true } }),
      ...userField(draws, endUsers),
    });

export const responses =
  (model: string, { stream = false }: Options = {}): MakeCall =>
  (draws, endUsers) =>
    post('/v1/responses', {
      ...{ model, input: question(draws), max_output_tokens: outputTokensMax, store: false },
      ...(stream && { stream }),
      ...userField(draws, endUsers),
    });

export const messages =
  (model: string, { stream = false }: Options = {}): MakeCall =>
  (draws, endUsers) => {
    const user = endUser(draws, endUsers);
    return post(
      '/v1/messages',
      {
        ...{ model, max_tokens: outputTokensMax, messages: [{ role: 'user', content: question(draws) }] },
        ...(stream && { stream }),
        ...(user !== undefined && { metadata: { user_id: user } }),
      },
      'x-api-key',
    );
  };

export const generate =
  (model: string, { stream = false }: Options = {}): MakeCall =>
  (draws) =>
    post(
      `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      {
        contents: [{ role: 'user', parts: [{ text: question(draws) }] }],
        generationConfig: { maxOutputTokens: outputTokensMax },
      },
      'x-goog-api-key',
    );

export const embeddings: MakeCall = (draws, endUsers) =>
  post('/v1/embeddings', {
    model: 'text-embedding-3-small',
    input: draws.list(1, 6, () => question(draws)),
    ...userField(draws, endUsers),
  });

export const image: MakeCall = (draws) =>
  post('/v1/images/generations', { model: 'gpt-image-1', prompt: draws.pick(imagePrompts), size: '1024x1024' });

export const speech: MakeCall = (draws) =>
  post('/v1/audio/speech', { model: 'gpt-4o-mini-tts', input: question(draws), voice: 'alloy' });

/** 404 `model_not_found`. */
export const unknownModel: MakeCall = (draws, endUsers) => chat('gpt-5.4-large')(draws, endUsers);

/** 400 `field_invalid`. */
export const invalidField: MakeCall = (draws, endUsers) => {
  const { path, body, carrier } = chat('gpt-5.4-mini')(draws, endUsers);
  return post(path, { ...body, messages: 'Hello' }, carrier);
};

/** Refused by the moderation of a token that has it. */
export const flagged: MakeCall = (draws, endUsers) => {
  const { path, body, carrier } = chat('gpt-5.4-mini')(draws, endUsers);
  return post(path, { ...body, messages: [{ role: 'user', content: flaggedText }] }, carrier);
};
