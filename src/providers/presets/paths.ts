/** The paths that presets share, so that a row of a table has only what is its own. */

import type { DeclaredOperations } from '../declared-operations.ts';
import type { Auth } from '../provider.ts';

export const bearer: Auth = { style: 'bearer' };

export const chat = { 'openai-chat': '/chat/completions' } as const;
export const responses = { 'openai-responses': '/responses' } as const;
export const completions = { 'openai-completions': '/completions' } as const;
export const messages = { 'anthropic-messages': '/messages' } as const;
export const cohereChat = { 'cohere-chat': '/v2/chat' } as const;
export const generate = {
  'gemini-generate': {
    whole: '/models/{+model}:generateContent',
    stream: '/models/{+model}:streamGenerateContent?alt=sse',
  },
} as const;

export const modelsPath = '/models';

/** Servers that know the reply's limit by its older name and no developer turns: what most copies of the chat format are. */
export const olderChat = { limitIsMaxTokens: true, takes: { developerRole: 'refused' } } as const;

/** The operations of the chat family, at the paths that its libraries call. */
export const embeddings = { embed: { wire: 'openai-embeddings', path: '/embeddings' } } as const;
const moderations = { moderate: { wire: 'openai-moderations', path: '/moderations' } } as const;
export const madeImages = { 'make-image': { wire: 'openai-images', path: '/images/generations' } } as const;
export const images = {
  ...madeImages,
  'edit-image': { wire: 'openai-image-edits', path: '/images/edits' },
} as const;
export const speech = { speak: { wire: 'openai-speech', path: '/audio/speech' } } as const;
/** Newer models of the family's own service write short JSON and text alone. https://developers.openai.com/api/reference/overview (read 2026-11-19) */
const statesLength = ['*whisper*', '*Whisper*'];
export const transcription = {
  transcribe: { wire: 'openai-transcriptions', path: '/audio/transcriptions', statesLength },
} as const;
export const transcriptions = {
  ...transcription,
  translate: { wire: 'openai-translations', path: '/audio/translations', statesLength },
} as const;
export const rerank = { rerank: { wire: 'rerank', path: '/rerank' } } as const;

/** The same for a server that takes fewer texts at once than the family's own service. */
export function fewEmbeddings(inputsMax: number): DeclaredOperations {
  return { embed: { ...embeddings.embed, inputsMax } };
}

/** Everything that the family's own service does; a compatible server answers 404 where it does not. */
export const familyOperations = {
  ...embeddings,
  ...moderations,
  ...images,
  ...speech,
  ...transcriptions,
} as const;

/** Videos on the family's own wire, which its own service no longer offers; only those that do say so. */
export const videos = { wire: 'openai-videos', path: '/videos' } as const;

/** Live conversations at the family's own path. */
export const live = { 'converse-live': { wire: 'openai-realtime', path: '/realtime' } } as const;

/** Models that take audio in. */
const listeners = ['gemini*', '*/gemini*'];

/** Google's images, speech, transcripts and videos: older image models and videos use predict, all else generateContent. */
export function generatedMedia(models: string): DeclaredOperations {
  const generated = `${models}/{+model}:generateContent`;
  const images = { wire: 'gemini-generate-image', path: generated };
  return {
    'make-image': [
      { models: ['imagen*', '*/imagen*'], wire: 'imagen-predict', path: `${models}/{+model}:predict` },
      images,
    ],
    'edit-image': images,
    speak: { wire: 'gemini-speech', path: generated },
    transcribe: { models: listeners, wire: 'gemini-transcription', path: generated },
    translate: { models: listeners, wire: 'gemini-translation', path: generated },
    'make-video': { models: ['veo*', '*/veo*'], wire: 'veo-video', path: `${models}/{+model}:predictLongRunning` },
  };
}

/** What the content-generation family does with an API key; its vectors come one or many at a time from the same place. */
export const generateOperations: DeclaredOperations = {
  embed: { wire: 'gemini-embed', path: '/models/{+model}:batchEmbedContents' },
  ...generatedMedia('/models'),
};
