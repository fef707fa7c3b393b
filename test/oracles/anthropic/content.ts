/** Anthropic Messages API: the content blocks of a reply. https://platform.claude.com/docs/en/api/messages/create (read 2026-11-16) */

import { z } from 'zod';

const count = z.int().nonnegative();
const text = z.string();

/** A union by `type` of strict objects, the way the reference lists the variants of a field. */
const ofType = <Type extends string, Shape extends z.core.$ZodLooseShape>(type: Type, shape: Shape) =>
  z.strictObject({ type: z.literal(type), ...shape });

const cited = { cited_text: text, document_index: count, document_title: text.nullable(), file_id: text.nullish() };

export const citation = z.discriminatedUnion('type', [
  ofType('char_location', { ...cited, start_char_index: count, end_char_index: count }),
  ofType('page_location', { ...cited, start_page_number: count, end_page_number: count }),
  ofType('content_block_location', { ...cited, start_block_index: count, end_block_index: count }),
  ofType('web_search_result_location', {
    cited_text: text,
    encrypted_index: text,
    title: text.nullable(),
    url: text,
  }),
  ofType('search_result_location', {
    cited_text: text,
    search_result_index: count,
    source: text,
    start_block_index: count,
    end_block_index: count,
    title: text.nullable(),
  }),
]);

const textBlock = ofType('text', { text, citations: z.array(citation).nullish() });

/** What called the tool: the model, or code that it ran. */
const caller = z
  .discriminatedUnion('type', [
    ofType('direct', {}),
    ofType('code_execution_20250825', { tool_id: text }),
    ofType('code_execution_20260120', { tool_id: text }),
  ])
  .optional();

const serverTool = z.enum([
  'advisor',
  'web_search',
  'web_fetch',
  'code_execution',
  'bash_code_execution',
  'text_editor_code_execution',
  'tool_search_tool_regex',
  'tool_search_tool_bm25',
]);

const executionErrors = ['invalid_tool_input', 'unavailable', 'too_many_requests', 'execution_time_exceeded'] as const;

const webSearchResult = z.union([
  ofType('web_search_tool_result_error', {
    error_code: z.enum([
      'invalid_tool_input',
      'unavailable',
      'max_uses_exceeded',
      'too_many_requests',
      'query_too_long',
      'request_too_large',
    ]),
  }),
  z.array(ofType('web_search_result', { encrypted_content: text, page_age: text.nullable(), title: text, url: text })),
]);

const fetchedDocument = ofType('document', {
  citations: z.strictObject({ enabled: z.boolean() }).nullish(),
  source: z.discriminatedUnion('type', [
    ofType('base64', { data: text, media_type: z.literal('application/pdf') }),
    ofType('text', { data: text, media_type: z.literal('text/plain') }),
  ]),
  title: text.nullable(),
});

const webFetchResult = z.discriminatedUnion('type', [
  ofType('web_fetch_tool_result_error', {
    error_code: z.enum([
      'invalid_tool_input',
      'url_too_long',
      'url_not_allowed',
      'url_not_in_prior_context',
      'url_not_accessible',
      'unsupported_content_type',
      'too_many_requests',
      'max_uses_exceeded',
      'unavailable',
      'content_too_large',
    ]),
  }),
  ofType('web_fetch_result', { content: fetchedDocument, retrieved_at: text.nullable(), url: text }),
]);

const advisorResult = z.discriminatedUnion('type', [
  ofType('advisor_tool_result_error', {
    error_code: z.enum([
      'max_uses_exceeded',
      'prompt_too_long',
      'too_many_requests',
      'overloaded',
      'unavailable',
      'execution_time_exceeded',
      'model_not_found',
    ]),
  }),
  ofType('advisor_result', { text, stop_reason: text.nullish() }),
  ofType('advisor_redacted_result', { encrypted_content: text, stop_reason: text.nullish() }),
]);

const codeOutput = z.array(ofType('code_execution_output', { file_id: text }));
const codeResult = z.discriminatedUnion('type', [
  ofType('code_execution_tool_result_error', { error_code: z.enum(executionErrors) }),
  ofType('code_execution_result', { content: codeOutput, return_code: z.int(), stderr: text, stdout: text }),
  ofType('encrypted_code_execution_result', {
    content: codeOutput,
    encrypted_stdout: text,
    return_code: z.int(),
    stderr: text,
  }),
]);

const bashResult = z.discriminatedUnion('type', [
  ofType('bash_code_execution_tool_result_error', {
    error_code: z.enum([...executionErrors, 'output_file_too_large']),
  }),
  ofType('bash_code_execution_result', {
    content: z.array(ofType('bash_code_execution_output', { file_id: text })),
    return_code: z.int(),
    stderr: text,
    stdout: text,
  }),
]);

const editorResult = z.discriminatedUnion('type', [
  ofType('text_editor_code_execution_tool_result_error', {
    error_code: z.enum([...executionErrors, 'file_not_found']),
    error_message: text.nullable(),
  }),
  ofType('text_editor_code_execution_view_result', {
    content: text,
    file_type: z.enum(['text', 'image', 'pdf']),
    num_lines: count.nullable(),
    start_line: count.nullable(),
    total_lines: count.nullable(),
  }),
  ofType('text_editor_code_execution_create_result', { is_file_update: z.boolean() }),
  ofType('text_editor_code_execution_str_replace_result', {
    lines: z.array(text).nullable(),
    new_lines: count.nullable(),
    new_start: count.nullable(),
    old_lines: count.nullable(),
    old_start: count.nullable(),
  }),
]);

const toolSearchResult = z.discriminatedUnion('type', [
  ofType('tool_search_tool_result_error', {
    error_code: z.enum(executionErrors),
    error_message: text.nullish(),
  }),
  ofType('tool_search_tool_search_result', {
    tool_references: z.array(ofType('tool_reference', { tool_name: text })),
  }),
]);

const toolReferences = [
  ofType('tool_reference', { name: text }),
  ofType('mcp_tool_reference', { name: text, server_name: text }),
  ofType('mcp_toolset_reference', { server_name: text }),
] as const;
/** A definition repeats a tool of the request, which the reference leaves open. */
const toolDefinition = ofType('tool_definition', { definition: z.record(text, z.unknown()) });

const compaction = ofType('compaction', {
  content: text.nullable(),
  encrypted_content: text.nullish(),
  signature: text.nullish(),
  tool_changes: z
    .array(
      z.discriminatedUnion('type', [
        ofType('tool_addition', { tool: z.discriminatedUnion('type', [...toolReferences, toolDefinition]) }),
        ofType('tool_removal', { tool: z.discriminatedUnion('type', [...toolReferences]) }),
      ]),
    )
    .nullish(),
});

export const refusalCategory = z
  .enum(['cyber', 'bio', 'frontier_llm', 'reasoning_extraction', 'general_harms'])
  .nullable();

const anyObject = z.record(text, z.unknown());
const answered = { tool_use_id: text };

export const contentBlock = z.discriminatedUnion('type', [
  textBlock,
  ofType('thinking', { thinking: text, signature: text }),
  ofType('redacted_thinking', { data: text }),
  ofType('tool_use', { id: text, input: anyObject, name: text, caller, toolset_name: text.nullish() }),
  ofType('server_tool_use', { id: text, input: anyObject, name: serverTool, caller }),
  ofType('web_search_tool_result', { ...answered, content: webSearchResult, caller }),
  ofType('web_fetch_tool_result', { ...answered, content: webFetchResult, caller }),
  ofType('advisor_tool_result', { ...answered, content: advisorResult }),
  ofType('code_execution_tool_result', { ...answered, content: codeResult }),
  ofType('bash_code_execution_tool_result', { ...answered, content: bashResult }),
  ofType('text_editor_code_execution_tool_result', { ...answered, content: editorResult }),
  ofType('tool_search_tool_result', { ...answered, content: toolSearchResult }),
  ofType('mcp_tool_use', { id: text, input: anyObject, name: text, server_name: text }),
  ofType('mcp_tool_result', { ...answered, content: z.union([text, z.array(textBlock)]), is_error: z.boolean() }),
  ofType('mcp_tool_listing', {
    mcp_server_name: text,
    tools: z.array(z.strictObject({ input_schema: anyObject, name: text, description: text.optional() })),
  }),
  ofType('container_upload', { file_id: text }),
  compaction,
  ofType('fallback', {
    from: z.strictObject({ model: text }),
    to: z.strictObject({ model: text }),
    trigger: ofType('refusal', { category: refusalCategory }).optional(),
  }),
]);
