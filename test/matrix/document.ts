/** Writes docs/compatibility.md from a run of the matrix. */

import { join } from 'node:path';
import type { SceneName } from '../fake-upstream/wire/scenes.ts';
import { providerNames, wireProviders } from '../fake-upstream/wire/start-all.ts';
import { allScenes } from './caller.ts';
import { callers } from './cells.ts';
import type { CellResult } from './run-matrix.ts';

export const documentFile = join(import.meta.dir, '../../docs/compatibility.md');

const scenes: Readonly<Partial<Record<SceneName, string>>> = {
  text: 'several turns with instructions, sampling settings and a stop sequence; text with quotes, line ends and symbols',
  tools: 'a demanded tool, its arguments streamed in pieces, text beside the call, the result given back, the answer',
  parallel: 'three calls in one turn, two of the same function, their results given back',
  images: 'one image by address and one inside the request',
  thinking: 'thoughts shown and signed, a tool called, the signature back with the provider in the second turn',
  schema: 'a reply that follows a JSON Schema',
  long: '2,000 pieces of text',
  refusal: 'the model refuses',
  busy: 'status 429 before the first event',
  wrong: 'status 400 before the first event',
  'fault-first': 'status 503, or an error as the first event of a stream',
  'cut-reset': 'the connection breaks in the middle of the reply',
  'cut-end': 'the reply ends in good order but unfinished',
  'late-reset': 'the connection breaks after the whole reply has come',
};

const formatNames = {
  chat: 'chat',
  responses: 'responses',
  messages: 'messages',
  generate: 'content generation',
} as const;

export function documentOf(cells: readonly CellResult[]): string {
  const failed = cells.filter(({ failure }) => failure !== undefined).length;
  const passed = cells.length - failed;
  return `# Which client works with which provider

This page is written by a run of the tests (\`node bin/weir.js --run scripts/write-compatibility.ts\` rewrites it,
and \`test/matrix/matrix.test.ts\` fails where it is out of date).

Each row is an official client library, pointed at Weir. Each column is the wire format that the provider behind Weir speaks.
A cell counts scenes, each streamed and not; every one is a real call through a real server to a scripted provider that
refuses whatever the original service would refuse. Passed in this run: ${passed} of ${cells.length}.

${table(cells)}

## The scenes

${allScenes.map((scene) => `- **${scene}**: ${scenes[scene]}`).join('\n')}

A scene passes when the library's own result holds the right text, calls with parsed arguments, usage and finish; when its own
error class carries the provider's status and words; and when half a reply is never taken for a whole one.

## What a library cannot show

- The completions format knows a prompt and a text: only the scenes without tools, images, thinking and schemas apply.
- Chat clients cannot ask to see thoughts. They see those that a provider sends unasked (chat and messages formats); the
  signatures of all providers are remembered for them and put back, except where nothing stands between client and
  provider: there the client gives back what it likes.
- AI SDK: \`openai.chat\` has no place for thoughts; \`openai\`, \`openai.chat\` and \`openai-compatible\` show a refusal as an
  empty reply; \`openai-compatible\` and \`google\` send images inside the request only.
- A refusal in the words of the model (chat and responses formats) arrives as such wherever the library has a place for it; the
  explanation that the messages format puts beside an empty reply is shown to its own clients, others see the finish.
- \`cohere-ai\` demands some tool, not a certain one; a refusal is text to it, and a broken stream is an event whose \`error\` says
  why: it does not throw.
- \`openai\` reports a broken responses stream as a response whose \`status\` is \`failed\`; it does not throw.
`;
}

function table(cells: readonly CellResult[]): string {
  const heads = providerNames.map((name) => `${formatNames[name]} (\`${wireProviders[name].kind}\`)`);
  const rows = callers.map((caller) => {
    const counts = providerNames.map((provider) => {
      const own = cells.filter((cell) => cell.caller === caller && cell.provider === provider);
      return `${own.filter(({ failure }) => failure === undefined).length}/${own.length}`;
    });
    return [caller.name, caller.format, ...counts];
  });
  return [['client library', 'its format', ...heads], ['---', '---', ...heads.map(() => '---')], ...rows]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n');
}
