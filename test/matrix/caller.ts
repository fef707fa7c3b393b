/** What the matrix needs of a client library, and the common form of every library's own result objects. */

import type { CallSpec, SceneFlag, SceneName, ToolSpec } from '../fake-upstream/wire/scenes.ts';

/** One question, from which each caller makes its library's own request. */
export interface Question {
  readonly system?: string;
  /** Earlier turns, the user's and the assistant's. */
  readonly earlier?: readonly [string, string];
  readonly text: string;
  readonly images?: { readonly url: string | undefined; readonly data: string; readonly mediaType: string };
  readonly tools?: readonly ToolSpec[];
  readonly choice?: 'required' | { readonly name: string };
  readonly schema?: Record<string, unknown>;
  readonly thinking?: boolean;
  readonly sampling?: { readonly temperature: number; readonly maxTokens: number; readonly stop: string };
}

export interface Outcome {
  readonly text: string;
  /** Empty where the library showed none. */
  readonly thinking: string;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  readonly finish: 'stop' | 'calls' | 'refused' | string;
  readonly refusal: string | undefined;
  readonly usage: { readonly input: number; readonly cached: number; readonly output: number } | undefined;
}

export interface Session {
  ask(question: Question, stream: boolean): Promise<Outcome>;
  /** Answers the calls of the last outcome, one by one, and asks the model to continue. */
  answer(results: readonly CallSpec[], stream: boolean): Promise<Outcome>;
}

export interface Place {
  readonly url: string;
  readonly token: string;
  readonly model: string;
  readonly fetch: typeof globalThis.fetch;
}

export interface ReadError {
  /** Is it of a class that the library itself throws? */
  readonly own: boolean;
  readonly status: number | undefined;
  readonly message: string;
}

export interface Caller {
  readonly name: string;
  /** Its wire format, as the documentation calls it. */
  readonly format: 'chat' | 'responses' | 'messages' | 'content generation' | 'completions' | 'cohere chat';
  readonly open: (place: Place) => Session;
  readonly readError: (error: unknown) => ReadError;
  /** What of a scene its format does not support. */
  readonly flags: Readonly<Partial<Record<SceneName, readonly SceneFlag[]>>>;
  readonly linksImages: boolean;
  /** Providers from which it can show thoughts: all, or those that send them without being asked. */
  readonly seesThinking: 'asked' | 'unasked' | 'never';
  /** What the library's result shows of a refusal: its words, at least the finish, or nothing. */
  readonly seesRefusals: 'words' | 'finish' | 'never';
  /** The scenes that make sense in its format. */
  readonly scenes: readonly SceneName[];
}

export const allScenes: readonly SceneName[] = [
  'text',
  'tools',
  'parallel',
  'images',
  'thinking',
  'schema',
  'long',
  'refusal',
  'busy',
  'wrong',
  'fault-first',
  'cut-reset',
  'cut-end',
  'late-reset',
];
