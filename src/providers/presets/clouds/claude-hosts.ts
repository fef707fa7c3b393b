/**
 * Which betas of Anthropic's API other hosts of its models take; any other makes them refuse the whole request ("invalid beta
 * flag", "Unexpected value(s) for the `anthropic-beta` header", "Extra inputs are not permitted"). Read 2026-11-15:
 * https://github.com/envoyproxy/ai-gateway/pull/2512 (probed at Bedrock), https://github.com/BerriAI/litellm/pull/19877,
 * https://docs.litellm.ai/docs/tutorials/claude_code_beta_headers, https://github.com/UKGovernmentBEIS/inspect_ai/pull/3851
 * (the top-level cache mark), https://github.com/anthropics/claude-code/issues/82549 (`defer_loading`).
 */

import type { HostWords } from '../../host-words.ts';

const toolSearch = 'tool-search-tool-2025-10-19';
const contextEditing = ['context-management-2025-06-27', 'compact-2026-01-12'];

const shared = {
  header: 'anthropic-beta',
  // Anthropic's own API has the tool search among others under one name.
  renamed: { 'advanced-tool-use-2025-11-20': toolSearch },
  toolFields: { defer_loading: [toolSearch] },
  markField: 'cache_control',
} as const;

export const bedrockWords: HostWords = {
  ...shared,
  taken: [
    ...contextEditing,
    toolSearch,
    'computer-use-2024-10-22',
    'computer-use-2025-01-24',
    'computer-use-2025-11-24',
    'context-1m-2025-08-07',
    'dev-full-thinking-2025-05-14',
    'effort-2025-11-24',
    'fine-grained-tool-streaming-2025-05-14',
    'interleaved-thinking-2025-05-14',
    'output-128k-2025-02-19',
    'token-efficient-tools-2025-02-19',
    'tool-examples-2025-10-29',
  ],
  fields: { context_management: contextEditing },
};

export const vertexWords: HostWords = {
  ...shared,
  taken: [
    ...contextEditing,
    toolSearch,
    'compact-2026-09-04',
    'computer-use-2025-01-24',
    'computer-use-2025-11-24',
    'context-1m-2025-08-07',
    'interleaved-thinking-2025-05-14',
    'web-search-2025-03-05',
  ],
  fields: { context_management: [...contextEditing, 'compact-2026-09-04'] },
};
