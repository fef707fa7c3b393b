/** The sandbox calls a tool where a person asked for it, and never because of words that an agent put beside the question. */

import { describe, expect, test } from 'bun:test';
import type { Message, ToolCallPart } from '../../conversation/parts.ts';
import { requestDefaults, type TextRequest, type ToolDeclaration } from '../../conversation/text-request.ts';
import { fansOut, outsideWrappers } from './agent-wrappers.ts';
import { converse } from './converse.ts';

describe('the text outside wrappers', () => {
  for (const [text, outside] of [
    ['What is 6 * 7?', 'What is 6 * 7?'],
    [' spaces stay ', ' spaces stay '],
    ['<system-reminder>\nUse the Agent tool.\n</system-reminder>\n\nWhat is 6 * 7?', 'What is 6 * 7?'],
    ['Hello\n<system-reminder>a</system-reminder><system-reminder>b</system-reminder>', 'Hello'],
    ['<environment_context>\n<cwd>/work</cwd>\n</environment_context>', ''],
    ['<current_datetime zone="utc">now</current_datetime>\n\nHello', 'Hello'],
    ['<b>weather</b> in Paris', '<b>weather</b> in Paris'],
    ['<system-reminder>never closed, weather in Paris', '<system-reminder>never closed, weather in Paris'],
    ['<system-reminder>open <context>inner</context> rest', '<system-reminder>open  rest'],
  ] as const) {
    test(JSON.stringify(text), () => expect(outsideWrappers(text)).toBe(outside));
  }

  test('a megabyte of open tags is read once: looking for each one’s end would take minutes', () => {
    const text = `${'<context>'.repeat(100_000)}</other>`;
    expect(outsideWrappers(text)).toBe(text);
  });
});

describe('tools that start conversations of their own', () => {
  const words = (name: string) => new Set(name.toLowerCase().split('_'));
  for (const name of ['Agent', 'Task', 'new_task', 'spawn_agent', 'run_workflow', 'delegate'])
    test(name, () => expect(fansOut(name, words(name))).toBe(true));
  for (const name of ['create_task', 'list_tasks', 'get_weather', 'transfer_to_billing_agent'])
    test(`${name} is none`, () => expect(fansOut(name, words(name))).toBe(false));
});

const textTool = (name: string, description: string, property: string): ToolDeclaration => ({
  name,
  description,
  parameters: { type: 'object', properties: { [property]: { type: 'string' } }, required: [property] },
});
const weather = textTool('get_weather', 'The weather of a city', 'city');
const read = textTool('Read', 'Reads a file of the user from the machine', 'path');
const agent = textTool('Agent', 'Launches an agent that answers a question about weather by itself', 'prompt');

const user = (...texts: string[]): Message => ({
  role: 'user',
  parts: texts.map((text) => ({ type: 'text', text }) as const),
});
const instruction = (text: string): Message => ({ role: 'instruction', parts: [{ type: 'text', text }] });
const call: Message = {
  role: 'assistant',
  parts: [{ type: 'tool-call', id: 'c1', name: 'get_weather', arguments: '{"city":"Paris"}' }],
};
const result: Message = {
  role: 'tool',
  parts: [{ type: 'tool-result', callId: 'c1', parts: [{ type: 'text', text: '21 degrees' }], failed: false }],
};

function answer(messages: readonly Message[], fields: Partial<TextRequest> = {}): { calls: string[]; text: string } {
  const request = { model: 'sandbox-chat', ...requestDefaults, messages, tools: [weather, read, agent], ...fields };
  const origin = { format: 'neutral', provider: 'sandbox', model: request.model };
  const parts = converse(request, { id: 'reply', createdAtMs: 0, origin }).candidates[0]?.parts ?? [];
  return {
    calls: parts.filter((part): part is ToolCallPart => part.type === 'tool-call').map(({ name }) => name),
    text: parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
  };
}

const reminder = '<system-reminder>\nThe weather agent may Read files of the user.\n</system-reminder>';

describe('calls', () => {
  test('are planned from what a person asks, also beside reminders', () => {
    expect(answer([user('weather in Paris')]).calls).toEqual(['get_weather']);
    expect(answer([user(reminder, 'weather in Paris')]).calls).toEqual(['get_weather']);
  });

  test('are not planned from reminders', () => {
    const { calls, text } = answer([user(reminder, 'What is 6 * 7?')]);
    expect(calls).toEqual([]);
    expect(text).toStartWith('6 * 7 = 42.');
    expect(text).toContain('Your last message: "What is 6 * 7?".');
    expect(answer([user(reminder)]).calls).toEqual([]);
  });

  test('are made once for a question: a reminder after the results is no new one', () => {
    const { calls, text } = answer([user('weather in Paris'), call, result, user(reminder)]);
    expect(calls).toEqual([]);
    expect(text).toStartWith('get_weather returned "21 degrees".');
    expect(answer([user('weather in Paris'), call, result, user('weather in Rome')]).calls).toEqual(['get_weather']);
  });

  test('are not planned in an agent’s request, unless its caller demands one', () => {
    const manual = instruction('You may look up the weather. '.repeat(300));
    expect(answer([manual, user('weather in Paris')]).calls).toEqual([]);
    const wordy = { ...read, description: 'Reads files. '.repeat(700) };
    expect(answer([user('weather in Paris')], { tools: [weather, wordy] }).calls).toEqual([]);
    expect(answer([user(`weather in Paris ${'and more words '.repeat(300)}`)]).calls).toEqual([]);
    const demanded = { toolChoice: { kind: 'required' } } as const;
    expect(answer([manual, user('weather in Paris')], demanded).calls).toEqual(['get_weather']);
  });

  test('an agent that waits for the end of its run gets it, where it names the tool', () => {
    const manual = instruction('You must use tools. '.repeat(500));
    const submit = textTool('submit_and_exit', 'Ends the run', 'result');
    const fields = { tools: [weather, submit] };
    expect(answer([manual, user('What is 6 * 7?')], fields).calls).toEqual([]);
    const demand = user('End the run with the tool: submit_and_exit. Do not look up the weather.');
    expect(answer([manual, user('What is 6 * 7?'), demand], fields).calls).toEqual(['submit_and_exit']);
    expect(answer([manual, demand, call, result], fields).calls).toEqual([]);
  });

  test('never start another agent, unless there is nothing else to call', () => {
    expect(answer([user('launch an agent with a question')]).calls).toEqual([]);
    const demanded = { toolChoice: { kind: 'required' } } as const;
    expect(answer([user('launch an Agent')], { ...demanded, tools: [agent, read] }).calls).toEqual(['Read']);
    expect(answer([user('launch an Agent')], { ...demanded, tools: [agent] }).calls).toEqual(['Agent']);
  });
});
