/** The real programs that the snippets are for: where each comes from, how it is asked one question, and how it is kept quiet. */

export interface AgentProgram {
  /** The snippet that is run. */
  readonly id: string;
  readonly package: string;
  /** Pinned: another version may send other requests, which is to be looked at and recorded. */
  readonly version: string;
  /** The command that the snippet starts. */
  readonly program: string;
  /** What makes the command answer the question in `$QUESTION` and end, instead of opening a screen. */
  readonly oneQuestion: string;
  /** Settings that keep the program from asking its maker for news, in a network that has nobody else to answer. */
  readonly env: Readonly<Record<string, string>>;
  /** Model requests of one question: the question, and what the program asks for itself (a title, who speaks next). */
  readonly requestsMax: number;
}

export const question = 'What is 6 * 7?';

export const programs: readonly AgentProgram[] = [
  {
    id: 'claude-code',
    package: '@anthropic-ai/claude-code',
    version: '2.1.325',
    program: 'claude',
    oneQuestion: '-p "$QUESTION"',
    env: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
    requestsMax: 3,
  },
  {
    id: 'codex',
    package: '@openai/codex',
    version: '0.166.0',
    program: 'codex',
    oneQuestion: 'exec --skip-git-repo-check "$QUESTION"',
    env: {},
    requestsMax: 2,
  },
  {
    id: 'gemini-cli',
    package: '@google/gemini-cli',
    version: '0.61.0',
    program: 'gemini',
    oneQuestion: '--skip-trust -p "$QUESTION"',
    env: { GEMINI_TELEMETRY_ENABLED: 'false' },
    requestsMax: 3,
  },
  {
    id: 'opencode',
    package: 'opencode-ai',
    version: '1.18.33',
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
    package: '@github/copilot',
    version: '1.0.102',
    program: 'copilot',
    oneQuestion: '-p "$QUESTION"',
    env: { COPILOT_OFFLINE: 'true', COPILOT_AUTO_UPDATE: 'false' },
    requestsMax: 3,
  },
  {
    id: 'qwen-code',
    package: '@qwen-code/qwen-code',
    version: '0.24.4',
    program: 'qwen',
    oneQuestion: '-p "$QUESTION"',
    env: { QWEN_TELEMETRY_ENABLED: 'false' },
    requestsMax: 3,
  },
  {
    id: 'cline',
    package: 'cline',
    version: '3.0.65',
    program: 'cline',
    oneQuestion: '"$QUESTION"',
    env: { CLINE_NO_AUTO_UPDATE: '1' },
    requestsMax: 3,
  },
  {
    id: 'continue',
    package: '@continuedev/cli',
    version: '1.5.47',
    program: 'cn',
    oneQuestion: '-p "$QUESTION"',
    env: { CONTINUE_TELEMETRY_ENABLED: '0' },
    requestsMax: 3,
  },
  {
    id: 'pi',
    package: '@mariozechner/pi-coding-agent',
    version: '0.73.1',
    program: 'pi',
    oneQuestion: '-p "$QUESTION"',
    env: { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' },
    requestsMax: 2,
  },
];
