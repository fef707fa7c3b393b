/**
 * What Weir reads of the frames that a client sends in a realtime session: what may cost money, and which models they
 * name.
 */

import { GatewayError } from '../../conversation/gateway-error.ts';
import { isObject, type Tree } from '../../conversation/json-tree.ts';
import { base64Bytes, typeAtHead } from './frame-scan.ts';
import { metadataText, type OutputLimit, outputLimitOf, turnDetectionOf } from './settings.ts';

/**
 * What a frame can start at the provider. `response`: one response. `audio`: audio, which a provider that detects turns may answer
 * by itself, and frames that Weir does not know. `nothing`: no response.
 */
type Starts = 'response' | 'audio' | 'nothing';

export interface ClientFrame {
  readonly eventId: string | undefined;
  readonly starts: Starts;
  readonly models: NamedModels | undefined;
  /** The limit that the frame sets: of one response, or of the session. */
  readonly outputLimit: OutputLimit | undefined;
  /** The frame lets the provider start responses by itself. */
  readonly detectsTurns: boolean;
  /** The metadata of the response, which the provider repeats; the same text for the same content. */
  readonly metadata: string | undefined;
}

export interface NamedModels {
  /** The model that continues the conversation. */
  readonly conversation: string | undefined;
  readonly transcription: readonly string[];
}

export const cancelFrame = '{"type":"response.cancel"}';

export function cancelFrameFor(responseId: string): string {
  return JSON.stringify({ type: 'response.cancel', response_id: responseId });
}

const audioType = 'input_audio_buffer.append';

const askType = 'response.create';

/** Everything else may cost something, unknown frames included: a row is written before such a frame is sent on. */
const free: ReadonlySet<string> = new Set([
  'session.update',
  'transcription_session.update',
  'conversation.item.create',
  'conversation.item.delete',
  'conversation.item.truncate',
  'conversation.item.retrieve',
  'response.cancel',
  'input_audio_buffer.clear',
  'output_audio_buffer.clear',
]);

/** The bytes of audio in a frame that holds nothing else; undefined where only parsing can tell. */
export function audioBytesIn(text: string): number | undefined {
  if (typeAtHead(text) !== audioType) return undefined;
  // A second type, or an escaped one, could be read as another frame by the provider.
  if (text.includes('\\') || text.indexOf('"type"') !== text.lastIndexOf('"type"')) return undefined;
  // So could a second piece of audio.
  if (text.indexOf('"audio"') !== text.lastIndexOf('"audio"')) return undefined;
  return base64Bytes(text, 'audio');
}

/** Does the frame carry audio, however it is spelled? */
export function isAudio(tree: Tree): boolean {
  return tree['type'] === audioType || tree['audio'] !== undefined;
}

/** The bytes of audio of a frame that was parsed. */
export function audioIn({ audio }: Tree): number {
  return typeof audio === 'string' ? Math.floor((audio.length * 3) / 4) : 0;
}

/** The models that a frame names for transcripts; an empty name where it asks for them and leaves the choice to the provider. */
export function transcriptionsIn(tree: Tree): readonly string[] {
  return [tree['session'], tree['response']].filter(isObject).flatMap((settings) =>
    transcriptionSettings(settings).flatMap(([, given]) => {
      if (!isObject(given)) return [];
      return typeof given['model'] === 'string' ? given['model'] : '';
    }),
  );
}

function transcriptionSettings(session: Tree): readonly (readonly [param: string, given: unknown])[] {
  const audio = isObject(session['audio']) ? session['audio'] : {};
  const input = isObject(audio['input']) ? audio['input'] : {};
  return [
    ['session.audio.input.transcription.model', input['transcription']],
    ['session.input_audio_transcription.model', session['input_audio_transcription']],
  ];
}

/** Throws a GatewayError where the frame is none of this protocol. */
export function readClientFrame(tree: Tree): ClientFrame {
  const { type, event_id: eventId } = tree;
  if (typeof type !== 'string') {
    throw new GatewayError('field_missing', 'The frame has no `type`.', { param: 'type' });
  }
  const response = isObject(tree['response']) ? tree['response'] : {};
  const session = isObject(tree['session']) ? tree['session'] : {};
  return {
    eventId: typeof eventId === 'string' ? eventId.slice(0, 512) : undefined,
    starts: type === askType ? 'response' : free.has(type) ? 'nothing' : 'audio',
    models: modelsIn(tree),
    outputLimit: outputLimitOf(type === askType ? response : session),
    detectsTurns: turnDetectionOf(session).on === true,
    metadata: metadataText(response['metadata']),
  };
}

/** The models that a session's settings name. Throws where one is no name. */
export function modelsInSession(session: Tree): NamedModels {
  return {
    conversation: nameOf(session['model'], 'session.model'),
    transcription: transcriptionSettings(session).flatMap(([param, given]) => {
      const name = isObject(given) ? nameOf(given['model'], param) : undefined;
      return name === undefined ? [] : [name];
    }),
  };
}

function modelsIn(tree: Tree): NamedModels | undefined {
  const settings = [tree['session'], tree['response']].filter(isObject);
  const named = settings.map(modelsInSession);
  const conversation = named.find(({ conversation: name }) => name !== undefined)?.conversation;
  const transcription = named.flatMap(({ transcription: names }) => names);
  return conversation === undefined && transcription.length === 0 ? undefined : { conversation, transcription };
}

function nameOf(value: unknown, param: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && value !== '') return value;
  throw new GatewayError('field_invalid', `The field \`${param}\` must be the name of a model.`, { param });
}

/** What was checked, with the provider's own names of the models. */
export function withModels(
  tree: Tree,
  names: { readonly conversation: string | undefined; transcription(name: string): string },
): Tree {
  const edited = Object.entries(tree).map(([name, value]) => [
    name,
    (name === 'session' || name === 'response') && isObject(value) ? renamed(value, names) : value,
  ]);
  return Object.fromEntries(edited);
}

type Names = Parameters<typeof withModels>[1];

function renamed(session: Tree, names: Names): Tree {
  const { audio } = session;
  const input = isObject(audio) && isObject(audio['input']) ? audio['input'] : undefined;
  const transcribing = (given: unknown): unknown =>
    isObject(given) && typeof given['model'] === 'string'
      ? { ...given, model: names.transcription(given['model']) }
      : given;
  return {
    ...session,
    ...(typeof session['model'] === 'string' && { model: names.conversation ?? session['model'] }),
    ...(session['input_audio_transcription'] !== undefined && {
      input_audio_transcription: transcribing(session['input_audio_transcription']),
    }),
    ...(isObject(audio) &&
      input?.['transcription'] !== undefined && {
        audio: { ...audio, input: { ...input, transcription: transcribing(input['transcription']) } },
      }),
  };
}

/** The frame that gives a new connection the settings of its credential; the URL names the model already. */
export function updateFrame(session: Tree): string {
  const { model: _, ...settings } = session;
  return JSON.stringify({ type: 'session.update', session: settings });
}
