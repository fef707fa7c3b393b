/**
 * The real programs and libraries that the snippets are for: where each comes from, how it gets one question, and how
 * its telemetry is turned off.
 */

export interface AgentProgram {
  /** The snippet that is run. */
  readonly id: string;
  readonly from: 'npm' | 'pypi';
  /** Pinned: another version may send other requests, which is to be looked at and recorded. */
  readonly packages: readonly string[];
  /** The command that the snippet starts, or that runs the file it is. */
  readonly program: string;
  /** What makes the command answer the question in `$QUESTION` and end, instead of opening a screen. A library's snippet ends by itself. */
  readonly oneQuestion?: string;
  /** Settings that keep the program from calling its vendor for updates, which this network does not reach. */
  readonly env?: Readonly<Record<string, string>>;
  /** Model requests of one question: the question, and what the program asks for itself (a title, who speaks next). */
  readonly requestsMax: number;
}

export const question = 'What is 6 * 7?';

export const agents: readonly AgentProgram[] = [
  {
    id: 'claude-code',
    from: 'npm',
    packages: ['@anthropic-ai/claude-code@2.1.325'],
    program: 'claude',
    oneQuestion: '-p "$QUESTION"',
    env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
    requestsMax: 3,
  },
  {
    id: 'codex',
    from: 'npm',
    packages: ['@openai/codex@0.166.0'],
    program: 'codex',
    oneQuestion: 'exec --skip-git-repo-check "$QUESTION"',
    requestsMax: 2,
  },
  {
    id: 'gemini-cli',
    from: 'npm',
    packages: ['@google/gemini-cli@0.61.0'],
    program: 'gemini',
    oneQuestion: '--skip-trust -p "$QUESTION"',
    env: { GEMINI_TELEMETRY_ENABLED: 'false' },
    requestsMax: 3,
  },
  {
    id: 'opencode',
    from: 'npm',
    packages: ['opencode-ai@1.18.33'],
    program: 'opencode',
    oneQuestion: 'run "$QUESTION"',
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: 'true',
      OPENCODE_DISABLE_MODELS_FETCH: 'true',
      OPENCODE_DISABLE_LSP_DOWNLOAD: 'true',
    },
    requestsMax: 3,
  },
  {
    id: 'copilot-cli',
    from: 'npm',
    packages: ['@github/copilot@1.0.102'],
    program: 'copilot',
    oneQuestion: '-p "$QUESTION"',
    env: { COPILOT_OFFLINE: 'true', COPILOT_AUTO_UPDATE: 'false' },
    requestsMax: 3,
  },
  {
    id: 'qwen-code',
    from: 'npm',
    packages: ['@qwen-code/qwen-code@0.24.4'],
    program: 'qwen',
    oneQuestion: '-p "$QUESTION"',
    env: { QWEN_TELEMETRY_ENABLED: 'false' },
    requestsMax: 3,
  },
  {
    id: 'cline',
    from: 'npm',
    packages: ['cline@3.0.65'],
    program: 'cline',
    oneQuestion: '"$QUESTION"',
    requestsMax: 3,
  },
  {
    id: 'continue',
    from: 'npm',
    packages: ['@continuedev/cli@1.5.47'],
    program: 'cn',
    oneQuestion: '-p "$QUESTION"',
    env: { CONTINUE_TELEMETRY_ENABLED: '0' },
    requestsMax: 3,
  },
  {
    id: 'pi',
    from: 'npm',
    packages: ['@mariozechner/pi-coding-agent@0.73.1'],
    program: 'pi',
    oneQuestion: '-p "$QUESTION"',
    env: { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' },
    requestsMax: 2,
  },
  {
    id: 'aider',
    from: 'pypi',
    packages: ['aider-chat==0.86.2'],
    program: 'aider',
    oneQuestion:
      '--no-git --no-check-update --no-analytics --no-show-model-warnings --yes-always --message "$QUESTION"',
    requestsMax: 2,
  },
];

/** Their snippets are files, and send Hello. */
export const libraries: readonly AgentProgram[] = [
  { id: 'curl', from: 'npm', packages: [], program: 'curl', requestsMax: 1 },
  { id: 'node', from: 'npm', packages: ['openai@7.53.0'], program: 'node', requestsMax: 1 },
  { id: 'ai-sdk', from: 'npm', packages: ['ai@7.0.169', '@ai-sdk/openai@4.0.114'], program: 'node', requestsMax: 1 },
  { id: 'python', from: 'pypi', packages: ['openai==2.54.0'], program: 'python', requestsMax: 1 },
  { id: 'langchain', from: 'pypi', packages: ['langchain-openai==1.7.3'], program: 'python', requestsMax: 1 },
  {
    id: 'llamaindex',
    from: 'pypi',
    packages: ['llama-index-llms-openai-like==0.8.1'],
    program: 'python',
    requestsMax: 1,
  },
  {
    id: 'pydantic-ai',
    from: 'pypi',
    packages: ['pydantic-ai-slim[openai]==2.31.1'],
    program: 'python',
    requestsMax: 1,
  },
];
