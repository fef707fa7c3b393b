/**
 * Writes a model of random weights as a GGUF file that a real server loads: it answers with printable nonsense, and with
 * valid JSON where a grammar holds it. Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md (read 2026-11-20).
 */

import { Random } from '../harness/random.ts';

const size = { embedding: 64, feedForward: 96, layers: 2, heads: 4, context: 65_536 } as const;

/** One token for each byte, behind those that every vocabulary of this kind begins with. */
const specials = ['<unk>', '<s>', '</s>', '<|im_start|>', '<|im_end|>'] as const;
const endToken = 4;
/** A vocabulary of this kind writes a space so; the other one begins a call, which random bytes would never spell. */
const whole = ['\u2581', '<tool_call>\n'] as const;
const tokenKinds = { normal: 1, unknown: 2, control: 3, byte: 6 } as const;

/** Turns as ChatML writes them, with tools as Hermes models declare them. */
const template = `{%- if tools %}<|im_start|>system
{% if messages[0].role == 'system' %}{{ messages[0].content }}

{% endif %}# Tools

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{%- for tool in tools %}
{{ tool | tojson }}
{%- endfor %}
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call><|im_end|>
{% elif messages[0].role == 'system' %}<|im_start|>system
{{ messages[0].content }}<|im_end|>
{% endif %}
{%- for message in messages %}
{%- if message.role == 'tool' %}<|im_start|>user
<tool_response>
{{ message.content }}
</tool_response><|im_end|>
{% elif message.role == 'assistant' and message.tool_calls %}<|im_start|>assistant
{{ message.content or '' }}
{%- for call in message.tool_calls %}
<tool_call>
{"name": "{{ call.function.name }}", "arguments": {{ call.function.arguments | tojson }}}
</tool_call>
{%- endfor %}<|im_end|>
{% elif message.role != 'system' %}<|im_start|>{{ message.role }}
{{ message.content }}<|im_end|>
{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}`;

/** Little-endian values, one after the other. */
class Bytes {
  readonly #pieces: Uint8Array[] = [];
  length = 0;

  add(bytes: Uint8Array): this {
    this.#pieces.push(bytes);
    this.length += bytes.length;
    return this;
  }

  u32(value: number): this {
    return this.add(new Uint8Array(Uint32Array.of(value).buffer));
  }

  u64(value: number): this {
    return this.add(new Uint8Array(BigUint64Array.of(BigInt(value)).buffer));
  }

  text(value: string): this {
    const bytes = new TextEncoder().encode(value);
    return this.u64(bytes.length).add(bytes);
  }

  pad(): this {
    return this.add(new Uint8Array((32 - (this.length % 32)) % 32));
  }

  whole(): Uint8Array {
    return Buffer.concat(this.#pieces);
  }
}

const kinds = { u32: 4, i32: 5, f32: 6, flag: 7, text: 8, list: 9 } as const;

class Fields {
  readonly bytes = new Bytes();
  count = 0;

  #named(name: string, kind: number): Bytes {
    this.count += 1;
    return this.bytes.text(name).u32(kind);
  }

  number(name: string, value: number): void {
    this.#named(name, kinds.u32).u32(value);
  }

  float(name: string, value: number): void {
    this.#named(name, kinds.f32).add(new Uint8Array(Float32Array.of(value).buffer));
  }

  flag(name: string, value: boolean): void {
    this.#named(name, kinds.flag).add(Uint8Array.of(value ? 1 : 0));
  }

  text(name: string, value: string): void {
    this.#named(name, kinds.text).text(value);
  }

  texts(name: string, values: readonly string[]): void {
    const list = this.#named(name, kinds.list).u32(kinds.text).u64(values.length);
    for (const value of values) list.text(value);
  }

  numbers(name: string, values: Float32Array | Int32Array): void {
    const kind = values instanceof Float32Array ? kinds.f32 : kinds.i32;
    this.#named(name, kinds.list).u32(kind).u64(values.length).add(new Uint8Array(values.buffer));
  }
}

interface Tensor {
  readonly name: string;
  /** The length of a row first. */
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

function vocabulary(fields: Fields): number {
  const bytes = Array.from({ length: 256 }, (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`);
  const tokens = [...specials, ...bytes, ...whole];
  const types = tokens.map((_, id) =>
    id === 0
      ? tokenKinds.unknown
      : id < specials.length
        ? tokenKinds.control
        : id < tokens.length - whole.length
          ? tokenKinds.byte
          : tokenKinds.normal,
  );
  fields.text('tokenizer.ggml.model', 'llama');
  fields.texts('tokenizer.ggml.tokens', tokens);
  fields.numbers('tokenizer.ggml.scores', new Float32Array(tokens.length));
  fields.numbers('tokenizer.ggml.token_type', Int32Array.from(types));
  fields.flag('tokenizer.ggml.add_space_prefix', false);
  fields.flag('tokenizer.ggml.add_bos_token', false);
  fields.number('tokenizer.ggml.unknown_token_id', 0);
  fields.number('tokenizer.ggml.bos_token_id', 1);
  fields.number('tokenizer.ggml.eos_token_id', endToken);
  fields.text('tokenizer.chat_template', template);
  return tokens.length;
}

/** The first number of every token's vector is the same, so the first column of the output says how likely each is. */
function tensors(tokens: number): readonly Tensor[] {
  const random = new Random(43);
  const { embedding, feedForward, layers } = size;
  const of = (name: string, row: number, rows: number, scale: number): Tensor => ({
    name,
    shape: [row, rows],
    values: Float32Array.from({ length: row * rows }, () => (random.next() * 2 - 1) * scale),
  });
  const ones = (name: string): Tensor => ({ name, shape: [embedding], values: new Float32Array(embedding).fill(1) });
  const embeddings = of('token_embd.weight', embedding, tokens, 0.3);
  const output = of('output.weight', embedding, tokens, 0.5);
  for (let id = 0; id < tokens; id++) {
    const byte = id - specials.length;
    embeddings.values[id * embedding] = 4;
    output.values[id * embedding] = likelihood(id, byte);
  }
  const blocks = Array.from({ length: layers }, (_, layer) => {
    const part = (name: string, row: number, rows: number) => of(`blk.${layer}.${name}.weight`, row, rows, 0.05);
    return [
      ones(`blk.${layer}.attn_norm.weight`),
      part('attn_q', embedding, embedding),
      part('attn_k', embedding, embedding),
      part('attn_v', embedding, embedding),
      part('attn_output', embedding, embedding),
      ones(`blk.${layer}.ffn_norm.weight`),
      part('ffn_gate', embedding, feedForward),
      part('ffn_up', embedding, feedForward),
      part('ffn_down', feedForward, embedding),
    ];
  });
  return [embeddings, ones('output_norm.weight'), output, ...blocks.flat()];
}

function likelihood(id: number, byte: number): number {
  if (id === endToken) return 0.6;
  if (byte === 257) return 1.3;
  return (byte > 0x20 && byte < 0x7f) || byte === 0x0a || byte === 256 ? 1 : -9;
}

export function modelFile(): Uint8Array {
  const fields = new Fields();
  fields.text('general.architecture', 'llama');
  fields.text('general.name', 'random');
  fields.number('llama.block_count', size.layers);
  fields.number('llama.context_length', size.context);
  fields.number('llama.embedding_length', size.embedding);
  fields.number('llama.feed_forward_length', size.feedForward);
  fields.number('llama.attention.head_count', size.heads);
  fields.number('llama.attention.head_count_kv', size.heads);
  fields.number('llama.rope.dimension_count', size.embedding / size.heads);
  fields.float('llama.attention.layer_norm_rms_epsilon', 1e-5);
  const all = tensors(vocabulary(fields));
  const file = new Bytes().add(new TextEncoder().encode('GGUF')).u32(3).u64(all.length).u64(fields.count);
  file.add(fields.bytes.whole());
  let offset = 0;
  for (const { name, shape, values } of all) {
    file.text(name).u32(shape.length);
    for (const length of shape) file.u64(length);
    file.u32(0).u64(offset);
    offset += Math.ceil(values.byteLength / 32) * 32;
  }
  file.pad();
  for (const { values } of all) file.add(new Uint8Array(values.buffer)).pad();
  return file.whole();
}
