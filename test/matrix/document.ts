/** Writes docs/compatibility.md from a run of the matrix. */

import { join } from 'node:path';
import type { SceneName } from '../fake-upstream/wire/scenes.ts';
import { providerNames, wireProviders } from '../fake-upstream/wire/start-all.ts';
import { allScenes } from './caller.ts';
import { callers } from './cells.ts';
import type { CellResult } from './run-matrix.ts';

export const documentFile = join(import.meta.dir, '../../docs/compatibility.md');

const scenes: Readonly<Partial<Record<SceneName, string>>> = {
  text: 'several turns with instructions, sampling and a stop sequence; text with quotes, line ends and symbols',
  tools: 'a required tool, its arguments streamed in pieces, text beside the call, the result returned, the answer',
  parallel: 'three calls in one turn, two of the same function, their results returned',
  images: 'one image by URL and one inside the request',
  thinking: 'reasoning shown and signed, a tool called, the signature returned to the provider in the second turn',
  schema: 'a reply that follows a JSON Schema',
  long: '200 pieces of text (2,000 in `npm run soak`)',
  refusal: 'the model refuses',
  busy: 'status 429 before the first event',
  wrong: 'status 400 before the first event',
  'fault-first': 'status 503, or an error as the first event of a stream',
  'cut-reset': 'the connection is reset in the middle of the reply',
  'cut-end': 'the reply ends cleanly but unfinished',
  'late-reset': 'the connection is reset after the whole reply',
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

This page is written by a test run (\`node bin/weir.js --run scripts/write-compatibility.ts\` rewrites it, and
\`test/matrix/matrix.test.ts\` fails if it is out of date).

Each row is an official client library with Weir as its base URL. Each column is the wire format of the provider behind
Weir. A cell counts scenes, each streamed and not; every one is a real call through a real server to a scripted provider
that refuses what the original service would refuse. Passed in this run: ${passed} of ${cells.length}.

${table(cells)}

## The scenes

${allScenes.map((scene) => `- **${scene}**: ${scenes[scene]}`).join('\n')}

A scene passes if the library's own result has the right text, calls with parsed arguments, usage and finish; if its own
error class has the provider's status and message; and if half a reply is never returned as a whole one.

## What a library cannot show

- The completions format has a prompt and a text: only the scenes without tools, images, thinking and schemas apply.
- Chat clients cannot request reasoning. They see what a provider sends anyway (chat and messages formats); Weir keeps
  the signatures of all providers for them and restores them, except where the bytes are forwarded unchanged: there the
  client decides what it returns.
- AI SDK: \`openai.chat\` has no field for reasoning; \`openai\`, \`openai.chat\` and \`openai-compatible\` show a refusal as an
  empty reply; \`openai-compatible\` and \`google\` send images inside the request only.
- A refusal text of the model (chat and responses formats) arrives as such if the library has a field for it; the
  explanation that the messages format adds to an empty reply is shown to its own clients, others see the finish.
- \`cohere-ai\` can require some tool, not a specific one; a refusal is text to it, and a cut stream is an event whose
  \`error\` says why: it does not throw.
- \`openai\` reports a cut responses stream as a response whose \`status\` is \`failed\`; it does not throw.
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
