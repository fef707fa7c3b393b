/** Body edits, on the data of the presets that have some. */

import { describe, expect, test } from 'bun:test';
import { editedTree, textEdits } from './body-edits.ts';
import { presetByName } from './presets.ts';

function editsOf(kind: string) {
  const edits = presetByName(kind)?.quirks?.bodyEdits?.['anthropic-messages'];
  if (edits === undefined) throw new Error(`${kind} edits no messages`);
  return edits;
}

const body = { model: 'm', stream: true, max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] };
const betas = { 'anthropic-beta': 'one-2025, two-2025,' };

describe('a messages body', () => {
  test('loses the model and gains a version on the way to Vertex', () => {
    const edits = editsOf('vertex');
    expect([...textEdits(edits, body, betas)]).toEqual([
      ['model', undefined],
      ['anthropic_version', '"vertex-2023-10-16"'],
    ]);
    expect(editedTree(edits, body, betas)).toEqual({
      stream: true,
      max_tokens: 5,
      messages: body.messages,
      anthropic_version: 'vertex-2023-10-16',
    });
  });

  test('carries the header’s list on the way to Bedrock, and says nothing of streams', () => {
    const edits = editsOf('bedrock');
    expect([...textEdits(edits, body, betas)]).toEqual([
      ['model', undefined],
      ['stream', undefined],
      ['anthropic_version', '"bedrock-2023-05-31"'],
      ['anthropic_beta', '["one-2025","two-2025"]'],
    ]);
    expect(editedTree(edits, body, betas)).toEqual({
      max_tokens: 5,
      messages: body.messages,
      anthropic_version: 'bedrock-2023-05-31',
      anthropic_beta: ['one-2025', 'two-2025'],
    });
  });

  test('keeps a list that it has already, and gets none of an empty header', () => {
    const edits = editsOf('bedrock');
    const own = { ...body, anthropic_beta: ['mine'] };
    expect(textEdits(edits, own, betas).has('anthropic_beta')).toBe(false);
    expect(editedTree(edits, own, betas)['anthropic_beta']).toEqual(['mine']);
    expect(textEdits(edits, body, { 'anthropic-beta': ' , ' }).has('anthropic_beta')).toBe(false);
  });

  test('is not changed itself, and shares what is below its top', () => {
    const edited = editedTree(editsOf('bedrock'), body, undefined);
    expect(body.model).toBe('m');
    expect(edited['messages']).toBe(body.messages);
  });

  test('has the same edits every time where no header adds to them', () => {
    const edits = editsOf('bedrock');
    expect(textEdits(edits, body, undefined)).toBe(textEdits(edits, body, {}));
  });
});
