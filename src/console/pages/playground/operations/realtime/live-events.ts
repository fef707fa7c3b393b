/** What a live conversation tells, read into what a page shows: who said what, who is speaking, and what each turn cost. */

type Fields = Readonly<Record<string, unknown>>;

export interface Line {
  readonly id: string;
  readonly who: 'person' | 'model';
  readonly text: string;
  /** Spoken, not written. */
  readonly spoken: boolean;
  readonly state: 'going' | 'done' | 'interrupted';
}

export interface LiveState {
  readonly lines: readonly Line[];
  /** The person is heard speaking. */
  readonly hearing: boolean;
  /** The response that is being made. */
  readonly responseId: string | undefined;
  readonly tokens: { readonly input: number; readonly output: number };
  readonly error: { readonly message: string; readonly code: string } | undefined;
}

export const firstState: LiveState = {
  lines: [],
  hearing: false,
  responseId: undefined,
  tokens: { input: 0, output: 0 },
  error: undefined,
};

/** An event as it came; nothing where it is none. */
export function readEvent(data: unknown): (Fields & { readonly type: string }) | undefined {
  if (typeof data !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(data);
    const fields = fieldsOf(value);
    return typeof fields['type'] === 'string' ? (fields as Fields & { readonly type: string }) : undefined;
  } catch {
    return undefined;
  }
}

type Reading = (state: LiveState, event: Fields) => LiveState;

const readings: Readonly<Record<string, Reading>> = {
  'conversation.item.added': addItem,
  'conversation.item.created': addItem,
  'response.created': (state, event) => ({ ...state, responseId: textOf(fieldsOf(event['response'])['id']) }),
  'response.output_text.delta': (state, event) => say(state, event, false),
  'response.output_audio_transcript.delta': (state, event) => say(state, event, true),
  'conversation.item.input_audio_transcription.delta': hear,
  'conversation.item.input_audio_transcription.completed': (state, event) =>
    changed(state, textOf(event['item_id']), { text: textOf(event['transcript']), state: 'done' }),
  'input_audio_buffer.speech_started': (state) => ({ ...state, hearing: true }),
  'input_audio_buffer.speech_stopped': (state) => ({ ...state, hearing: false }),
  'input_audio_buffer.committed': (state) => ({ ...state, hearing: false }),
  'response.done': endResponse,
  error: (state, event) => {
    const error = fieldsOf(event['error']);
    return { ...state, error: { message: textOf(error['message']), code: textOf(error['code']) } };
  },
};

/** An event that says nothing for the eye leaves all as it is. */
export function readInto(state: LiveState, event: Fields & { readonly type: string }): LiveState {
  const reading = Object.hasOwn(readings, event.type) ? readings[event.type] : undefined;
  return reading === undefined ? state : reading(state, event);
}

/** The sound of an event that carries some, with the item it belongs to. */
export function soundIn(event: Fields & { readonly type: string }): { itemId: string; base64: string } | undefined {
  if (event.type !== 'response.output_audio.delta') return undefined;
  return { itemId: textOf(event['item_id']), base64: textOf(event['delta']) };
}

function addItem(state: LiveState, event: Fields): LiveState {
  const item = fieldsOf(event['item']);
  const id = textOf(item['id']);
  if (item['type'] !== 'message' || id === '' || state.lines.some((line) => line.id === id)) return state;
  const parts = Array.isArray(item['content']) ? item['content'].map(fieldsOf) : [];
  const text = parts.map((part) => textOf(part['text']) || textOf(part['transcript'])).join(' ');
  const isPerson = item['role'] === 'user';
  const spoken = parts.some((part) => part['type'] === 'input_audio');
  if (item['role'] === 'system') return state;
  const line: Line = {
    id,
    who: isPerson ? 'person' : 'model',
    text,
    spoken,
    state: isPerson ? 'done' : 'going',
  };
  return { ...state, lines: [...state.lines, line] };
}

function say(state: LiveState, event: Fields, spoken: boolean): LiveState {
  const id = textOf(event['item_id']);
  const known = state.lines.find((line) => line.id === id);
  const text = (known?.text ?? '') + textOf(event['delta']);
  if (known !== undefined) return changed(state, id, { text, spoken });
  return { ...state, lines: [...state.lines, { id, who: 'model', text, spoken, state: 'going' }] };
}

function hear(state: LiveState, event: Fields): LiveState {
  const id = textOf(event['item_id']);
  const known = state.lines.find((line) => line.id === id);
  return changed(state, id, { text: (known?.text ?? '') + textOf(event['delta']) });
}

function endResponse(state: LiveState, event: Fields): LiveState {
  const response = fieldsOf(event['response']);
  const usage = fieldsOf(response['usage']);
  const isCut = response['status'] === 'cancelled' || response['status'] === 'incomplete';
  const details = fieldsOf(fieldsOf(response['status_details'])['error']);
  const message = textOf(details['message']);
  return {
    ...state,
    responseId: undefined,
    tokens: {
      input: state.tokens.input + numberOf(usage['input_tokens']),
      output: state.tokens.output + numberOf(usage['output_tokens']),
    },
    lines: state.lines.map((line) =>
      line.who === 'model' && line.state === 'going' ? { ...line, state: isCut ? 'interrupted' : 'done' } : line,
    ),
    ...(response['status'] === 'failed' && { error: { message, code: textOf(details['code']) } }),
  };
}

function changed(state: LiveState, id: string, change: Partial<Line>): LiveState {
  return { ...state, lines: state.lines.map((line) => (line.id === id ? { ...line, ...change } : line)) };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
