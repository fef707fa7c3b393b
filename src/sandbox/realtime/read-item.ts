/** Reads an item that a client puts into a conversation. */

import type { Tree } from '../../conversation/json-tree.ts';
import { type AudioLengths, InputAudio } from './input-audio.ts';
import type { Content, Item, MessageItem } from './items.ts';
import { type AudioFormat, decodeAudio, rateOf } from './protocol/audio-format.ts';
import { isAbsent, listIn, objectIn, oneOf, textIn } from './protocol/checked-fields.ts';
import { invalid, ProtocolFault } from './protocol/faults.ts';

const contentMax = 100;
const idLengthMax = 64;

export interface ItemReading {
  newId(prefix: string): string;
  /** The format of the client's audio. */
  readonly inputFormat: AudioFormat;
  readonly outputFormat: AudioFormat;
}

export function readItem(value: unknown, param: string, reading: ItemReading): Item {
  const tree = objectIn(value, param);
  const type = oneOf(tree['type'], ['message', 'function_call', 'function_call_output'], `${param}.type`);
  const id = readId(tree, param, reading);
  if (type === 'message') return readMessage(tree, id, param, reading);
  if (type === 'function_call_output') {
    const callId = textIn(tree['call_id'], `${param}.call_id`);
    return { type, id, callId, output: textIn(tree['output'], `${param}.output`) };
  }
  return {
    type,
    id,
    status: 'completed',
    callId: isAbsent(tree['call_id']) ? reading.newId('call_') : textIn(tree['call_id'], `${param}.call_id`),
    name: textIn(tree['name'], `${param}.name`),
    arguments: textIn(tree['arguments'], `${param}.arguments`),
  };
}

function readId(tree: Tree, param: string, { newId }: ItemReading): string {
  if (isAbsent(tree['id'])) return newId('item_');
  const id = textIn(tree['id'], `${param}.id`);
  if (id === '' || id.length > idLengthMax) throw invalid(`${param}.id`, `expected 1 to ${idLengthMax} characters.`);
  return id;
}

const contentTypes = {
  system: ['input_text'],
  user: ['input_text', 'input_audio', 'input_image'],
  assistant: ['output_text', 'output_audio'],
} as const;

function readMessage(tree: Tree, id: string, param: string, reading: ItemReading): MessageItem {
  const role = oneOf(tree['role'], ['system', 'user', 'assistant'], `${param}.role`);
  // An item of a client is complete when it arrives.
  const status = tree['status'] === 'incomplete' ? 'incomplete' : 'completed';
  const content = listIn(tree['content'], `${param}.content`, contentMax).map((part, index) => {
    const at = `${param}.content[${index}]`;
    const given = objectIn(part, at);
    return readContent(given, oneOf(given['type'], contentTypes[role], `${at}.type`), at, reading);
  });
  return { type: 'message', id, role, status, content };
}

function readContent(tree: Tree, type: Content['type'], param: string, reading: ItemReading): Content {
  const transcript = isAbsent(tree['transcript']) ? undefined : textIn(tree['transcript'], `${param}.transcript`);
  switch (type) {
    case 'input_text':
    case 'output_text':
      return { type, text: textIn(tree['text'], `${param}.text`) };
    case 'input_audio': {
      const lengths = lengthsOf(tree['audio'], reading.inputFormat, `${param}.audio`, transcript);
      return { type, lengths, words: transcript, transcript };
    }
    case 'output_audio': {
      const { seconds } = lengthsOf(tree['audio'], reading.outputFormat, `${param}.audio`, transcript);
      return { type, seconds, transcript };
    }
    case 'input_image':
      return {
        type,
        url: textIn(tree['image_url'], `${param}.image_url`),
        detail: isAbsent(tree['detail']) ? undefined : textIn(tree['detail'], `${param}.detail`),
      };
  }
}

/** A history that is sent again often has only the transcript. */
function lengthsOf(audio: unknown, format: AudioFormat, param: string, transcript: string | undefined): AudioLengths {
  if (isAbsent(audio) && transcript !== undefined) return { seconds: 0, speechSeconds: 0 };
  const samples = decodeAudio(textIn(audio, param), format, param);
  const buffer = new InputAudio(format, undefined, 0);
  try {
    buffer.checkRoom(samples.length);
    buffer.append(samples);
    return buffer.commit();
  } catch (error) {
    if (!(error instanceof ProtocolFault)) throw error;
    const seconds = (samples.length / rateOf(format)).toFixed(2);
    throw invalid(param, `${seconds} seconds of audio are too little or too much.`);
  }
}
