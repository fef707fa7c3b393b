import { expect, test } from 'bun:test';
import { checkCalls } from './check-calls.ts';

const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' };
const output = (call_id: string, type = 'function_call_output') => ({ type, call_id, output: 'x' });

test('a result answers a call before it', () => {
  for (const input of [
    'text',
    [call, output('a')],
    [{ ...call, type: 'custom_tool_call' }, output('a', 'custom_tool_call_output')],
    [{ type: 'item_reference', id: 'x' }, output('b')],
    [output('b', 'local_shell_call_output')],
  ]) {
    expect(() => checkCalls({ input })).not.toThrow();
  }
  expect(() => checkCalls({ input: [output('b')], previous_response_id: 'resp_1' })).not.toThrow();
  for (const input of [[output('b')], [call, output('b')], [output('a'), call]]) {
    expect(() => checkCalls({ input })).toThrow('No tool call found for function call output with call_id');
  }
  expect(() => checkCalls({ input: [output('c', 'custom_tool_call_output')] })).toThrow(
    'No tool call found for custom tool call output with call_id c.',
  );
});
