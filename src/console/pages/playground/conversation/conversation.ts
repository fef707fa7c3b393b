/** A conversation as the playground keeps it: rounds of a question and its answers, which branch where someone asked again; no format's words. */

export const formatNames = ['chat', 'messages', 'responses', 'generate'] as const;
export type FormatName = (typeof formatNames)[number];

export interface Attachment {
  readonly id: string;
  readonly name: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly base64: string;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, as the model wrote it. */
  readonly arguments: string;
  /** What the person answered by hand; absent until they did. */
  readonly result?: string;
}

export interface Failure {
  readonly message: string;
  readonly code: string;
  readonly requestId: string;
  readonly status: number;
}

/** What is known about one reply of the gateway once it has ended. */
export interface StepFacts {
  readonly format: FormatName;
  readonly provider: string;
  readonly requestId: string;
  readonly firstTokenMs?: number;
  /** From the first token to the last. */
  readonly writingMs?: number;
  readonly totalMs: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Null where Weir knows no price. */
  readonly costNano?: string | null;
  /** True where it was worked out from the price list, because the books cannot be read without signing in. */
  readonly isCostEstimated?: boolean;
}

/** One reply. A model that calls tools answers in several of them. */
export interface Step {
  readonly thinking: string;
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** The reply in its format's own parts, with signatures that only that format can carry back. */
  readonly native?: { readonly format: FormatName; readonly content: unknown };
  /** As the format says it. */
  readonly finish?: string;
  /** The person said stop, or the page was closed. */
  readonly isStopped?: boolean;
  readonly failure?: Failure;
  readonly facts?: StepFacts;
}

export interface Answer {
  readonly model: string;
  readonly steps: readonly Step[];
}

export interface Round {
  readonly id: string;
  /** The round it follows; absent for the first. Rounds with the same one are versions of each other. */
  readonly parentId?: string;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** One for each model that was asked. */
  readonly answers: readonly Answer[];
}

export const parameterNames = [
  'temperature',
  'topP',
  'topK',
  'maxTokens',
  'presencePenalty',
  'frequencyPenalty',
  'seed',
  'effort',
  'stop',
] as const;
export type ParameterName = (typeof parameterNames)[number];

/** Absent is not sent. As typed: what is no number is told apart before it is sent. */
export type Parameters = Readonly<Partial<Record<ParameterName, string>>>;

export interface Settings {
  readonly system: string;
  readonly parameters: Parameters;
  /** As pasted. */
  readonly toolsText: string;
  readonly schemaText: string;
}

export const emptySettings: Settings = { system: '', parameters: {}, toolsText: '', schemaText: '' };

export interface ConversationHead {
  readonly id: string;
  /** Empty until the first message names it. */
  readonly title: string;
  readonly changedAtMs: number;
}

export interface Conversation extends ConversationHead {
  readonly models: readonly string[];
  readonly settings: Settings;
  readonly rounds: readonly Round[];
  /** The last round of the branch that is shown. */
  readonly leafId?: string;
}

const titleCharactersMax = 60;

export function titleOf(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > titleCharactersMax ? `${line.slice(0, titleCharactersMax - 1).trimEnd()}…` : line;
}
