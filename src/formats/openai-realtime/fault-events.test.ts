import { expect, test } from 'bun:test';
import { scrubFault, tellsFault } from './fault-events.ts';

const scrub = (words: string): string => words.replaceAll('sk-1', '[key]');

test.each([
  [
    '{"type":"error","event_id":"e","error":{"message":"bad sk-1","code":null}}',
    '{"type":"error","event_id":"e","error":{"message":"bad [key]","code":null}}',
  ],
  [
    '{"event_id":"e","type":"error","error":{"message":"bad sk-1"}}',
    '{"event_id":"e","type":"error","error":{"message":"bad [key]"}}',
  ],
  [
    '{"type":"response.done","response":{"status":"failed","status_details":{"error":{"message":"sk-1"}},"output":[{"text":"sk-1"}]}}',
    '{"type":"response.done","response":{"status":"failed","status_details":{"error":{"message":"[key]"}},"output":[{"text":"sk-1"}]}}',
  ],
  [
    '{"type":"conversation.item.input_audio_transcription.failed","error":{"message":"sk-1"}}',
    '{"type":"conversation.item.input_audio_transcription.failed","error":{"message":"[key]"}}',
  ],
  ['{"type":"error","error":sk-1', '{"type":"error","error":[key]'],
])('%s', (text, shown) => {
  expect(tellsFault(text)).toBe(true);
  expect(scrubFault(text, scrub)).toBe(shown);
});

test('a failure without a secret passes byte for byte, and other events are not looked at', () => {
  const text = '{"type":"error", "error": {"message": "no such voice", "n": 1.0}}';
  expect(scrubFault(text, scrub)).toBe(text);
  expect(tellsFault('{"type":"response.output_text.delta","delta":"error sk-1"}')).toBe(false);
});
