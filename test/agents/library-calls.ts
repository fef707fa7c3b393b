/** The official libraries as clients, each with one question and with fields of a server's own as that library passes them on. */

import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { question } from './programs.ts';

export interface LibraryCall {
  readonly url: string;
  readonly token: string;
  readonly model: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const messages = [{ role: 'user', content: question }] as const;
const openai = ({ url, token }: LibraryCall) => new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 });

/** Each throws where it is refused. */
export const libraryCalls: Readonly<Record<string, (call: LibraryCall) => Promise<unknown>>> = {
  'openai, chat': async (call) =>
    await openai(call).chat.completions.create({ model: call.model, messages: [...messages], ...call.fields }),
  'openai, streamed chat': async (call) => {
    const given = { model: call.model, messages: [...messages], ...call.fields, stream: true as const };
    for await (const _ of await openai(call).chat.completions.create(given));
  },
  'openai, responses': async (call) =>
    await openai(call).responses.create({ model: call.model, input: question, ...call.fields }),
  anthropic: async ({ url, token, model, fields }) => {
    const client = new Anthropic({ baseURL: url, apiKey: token, maxRetries: 0 });
    return await client.messages.create({ model, max_tokens: 64, messages: [...messages], ...fields });
  },
  google: async ({ url, token, model, fields }) => {
    const client = new GoogleGenAI({ apiKey: token, httpOptions: { baseUrl: url } });
    const config = { httpOptions: { extraBody: { ...fields } } };
    return await client.models.generateContent({ model, contents: question, config });
  },
};
