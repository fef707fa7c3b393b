/** The playground's tabs besides the conversation, as data; the code of each arrives when it is opened. */

import type { OperationTab } from '../playground-contract.ts';

export const operationTabs: readonly OperationTab[] = [
  {
    id: 'completions',
    operation: 'converse',
    title: (words) => words.operations.tabs.completions,
    load: () => import('./completions/completions-panel.tsx'),
  },
  {
    id: 'embeddings',
    operation: 'embed',
    title: (words) => words.operations.tabs.embeddings,
    load: () => import('./embeddings/embeddings-panel.tsx'),
  },
  {
    id: 'images',
    operation: 'make-image',
    title: (words) => words.operations.tabs.images,
    load: () => import('./images/images-panel.tsx'),
  },
  {
    id: 'edits',
    operation: 'edit-image',
    title: (words) => words.operations.tabs.edits,
    load: () => import('./edits/edits-panel.tsx'),
  },
  {
    id: 'speech',
    operation: 'speak',
    title: (words) => words.operations.tabs.speech,
    load: () => import('./speech/speech-panel.tsx'),
  },
  {
    id: 'transcription',
    operation: 'transcribe',
    title: (words) => words.operations.tabs.transcription,
    load: () => import('./transcription/transcription-panel.tsx'),
  },
  {
    id: 'rerank',
    operation: 'rerank',
    title: (words) => words.operations.tabs.rerank,
    load: () => import('./rerank/rerank-panel.tsx'),
  },
  {
    id: 'moderation',
    operation: 'moderate',
    title: (words) => words.operations.tabs.moderation,
    load: () => import('./moderation/moderation-panel.tsx'),
  },
  {
    id: 'video',
    operation: 'make-video',
    title: (words) => words.operations.tabs.video,
    load: () => import('./video/video-panel.tsx'),
  },
  {
    id: 'realtime',
    operation: 'converse-live',
    title: (words) => words.operations.tabs.realtime,
    load: () => import('./realtime/realtime-panel.tsx'),
  },
];
