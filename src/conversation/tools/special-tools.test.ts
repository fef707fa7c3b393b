import { describe, expect, test } from 'bun:test';
import { requestDefaults, type TextRequest } from '../text-request.ts';
import { specialTools, withKnownTools } from './special-tools.ts';

const request: TextRequest = {
  ...requestDefaults,
  model: 'm',
  tools: [
    { name: 'exec', description: 'Runs a command.', freeform: { syntax: 'lark', definition: 'start: /.+/' } },
    { name: 'plain', freeform: {} },
    { name: 'f', parameters: { type: 'object' } },
  ],
  messages: [
    { role: 'user', parts: [{ type: 'text', text: 'go' }] },
    {
      role: 'assistant',
      parts: [{ type: 'tool-call', id: 'c1', name: 'exec', arguments: 'ls "x"\n', freeform: true }],
    },
  ],
};

const nothing = { freeform: false, namespaces: false };

describe('freeform tools as functions', () => {
  test('each becomes a function with one text argument, described by its grammar', () => {
    const { tools, messages } = withKnownTools(request, nothing);
    expect(tools[0]?.freeform).toBeUndefined();
    expect(tools[0]?.description).toContain('Runs a command.');
    expect(tools[0]?.description).toContain('lark grammar:\nstart: /.+/');
    expect(tools[0]?.parameters).toMatchObject({ properties: { input: { type: 'string' } }, required: ['input'] });
    expect(tools[1]?.description).toContain('plain text');
    expect(tools[2]).toBe(request.tools[2] as never);
    expect(messages[1]?.parts[0]).toEqual({
      type: 'tool-call',
      id: 'c1',
      name: 'exec',
      arguments: '{"input":"ls \\"x\\"\\n"}',
    });
  });

  test('a request without them stays the same object', () => {
    const plain = { ...request, tools: [], messages: [] };
    expect(withKnownTools(plain, nothing)).toBe(plain);
  });

  test('only tools that some formats cannot show are special', () => {
    expect([...(specialTools(request.tools) ?? [])].map(([name]) => name)).toEqual(['exec', 'plain']);
    expect(specialTools([{ name: 'f' }])).toBeUndefined();
  });

  test('a target that supports them gets them as they are', () => {
    expect(withKnownTools(request, { freeform: true, namespaces: false })).toBe(request);
  });

  test('the description of a namespace is written once, where namespaces are not supported', () => {
    const tool = (toolName: string) => ({
      name: `crm__${toolName}`,
      description: 'Looks up.',
      namespace: { name: 'crm', toolName, description: 'Customers.' },
    });
    const grouped = { ...request, tools: [tool('a'), tool('b')], messages: [] };
    const { tools } = withKnownTools(grouped, nothing);
    expect(tools.map(({ description }) => description)).toEqual([
      'Looks up.\n\nAbout all tools of `crm`: Customers.',
      'Looks up.',
    ]);
    expect(withKnownTools(grouped, { freeform: false, namespaces: true })).toBe(grouped);
  });
});
