/** Values for fields that a description names without an example, so that the call it shows is one that works. */

const samples: Readonly<Record<string, unknown>> = {
  model: 'sandbox-chat',
  messages: [{ role: 'user', content: 'Hello' }],
  contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
  content: { parts: [{ text: 'Hello' }] },
  input: 'Hello',
  prompt: 'Hello',
  query: 'Hello',
  documents: ['Hello', 'Goodbye'],
  max_tokens: 256,
  voice: 'alloy',
};

export function sampleOf(field: string): unknown {
  return samples[field];
}
