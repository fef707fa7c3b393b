/**
 * vLLM, SGLang, llama.cpp, Ollama and Text Generation Inference: fields of their own in chat requests whose content is the caller's,
 * so that a name of a model in it chooses none. Adapters are not among them. https://docs.vllm.ai/en/stable/serving/online_serving/,
 * https://docs.sglang.io/basic_usage/openai_api_completions.html, https://docs.ollama.com/api/openai-compatibility,
 * https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md (read 2026-11-19).
 */

import { type FieldTable, fieldsOf } from './field-table.ts';

export const serverFields: FieldTable = {
  // What a template or a grammar is given.
  ...fieldsOf(
    'opaque',
    'documents chat_template_kwargs guided_json structured_outputs json_schema format structural_tag',
  ),
  ...fieldsOf(
    'plain',
    'chat_template add_generation_prompt continue_final_message add_special_tokens tool_prompt guideline',
    'guided_regex guided_choice guided_grammar guided_decoding_backend guided_whitespace_pattern grammar ebnf regex',
    'stop_regex bad_words allowed_token_ids stop_token_ids include_stop_str_in_output skip_special_tokens',
    'spaces_between_special_tokens min_tokens ignore_eos length_penalty typical_p tfs mirostat mirostat_mode',
    'mirostat_tau mirostat_eta repeat_penalty dry_sequence_breakers samplers cache_salt',
  ),
};
