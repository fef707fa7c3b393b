/** docs/clients.md from the snippets and their notes, so that the document cannot differ from them. */

import { join } from 'node:path';
import { fillSnippet, type Snippet, snippets } from '../../src/snippets/snippets.ts';

export const clientsFile = join(import.meta.dir, '../../docs/clients.md');

/** As a Weir with default settings is reached, and a model that every Weir has. */
const documentFacts = { origin: 'http://127.0.0.1:8787', model: 'sandbox-chat' } as const;

const notes: Readonly<Record<string, string>> = {
  'claude-code': `Claude Code knows the context length of Claude models only. For a model with another name it assumes 1M tokens; set
\`CLAUDE_CODE_MAX_CONTEXT_TOKENS\` (names that begin with \`claude-\` ignore it), so that it compacts in time.
\`GET /v1/models\` lists the context length of a model. An alias in \`weir.yaml\` gives any model a name that Claude Code
knows. Without \`ANTHROPIC_DEFAULT_HAIKU_MODEL\` it requests a Claude model by name for titles and summaries, which fails
if none is served.`,
  codex: `Codex assumes a context length for names that it does not know; \`model_context_window = 200000\` in the same file sets
it. \`base_url\` must end in \`/v1\`.`,
  'gemini-cli': `Without the settings file \`gemini -p\` ends with "Invalid auth method selected."; the interactive screen asks for the
key instead.`,
  opencode: `To let opencode compact in time give the model its limits:
\`"models": { "…": { "limit": { "context": 200000, "output": 32000 } } }\`.`,
  'copilot-cli': '`COPILOT_OFFLINE=true` keeps it from contacting GitHub.',
  'open-webui': `In a container, \`127.0.0.1\` is the container: use an IP address of the machine, and let Weir listen there
(\`WEIR_HOST\`). With \`ENABLE_FORWARD_USER_INFO_HEADERS=true\` each of its users is an end user of the token, and with a
shared secret no caller can pretend to be another one ([end users](organisations.md#end-users)).`,
};

export function clientsDocument(): string {
  return `# Clients

Ready to paste, for a Weir on this machine. Set the token first: \`export WEIR_TOKEN=weir_…\`. The home page shows the
same texts with its own URL, the console with a new token filled in. Replace \`sandbox-chat\` with any model of
\`GET /v1/models\`.

\`npm run test:agents\` runs everything on this page unchanged, except Open WebUI: it installs each program and library in
a pinned version from npm or PyPI into the user's cache (\`XDG_CACHE_HOME\`, else \`~/.cache\`, in \`weir/agents\`), gives it
a fresh home folder and a network with Weir and nothing else (Linux, \`unshare\`), asks one question, and expects one
answer, a clean exit and no more than two or three requests. It prints agent × target; \`--agent codex --target sandbox\`
chooses. If something is missing, it names it and skips.

The sandbox has no model behind it, so an agent gets one answer from it and no help. It calls a tool only if the last
user message asks for one, outside the reminders that agents add; not in the long prompts of agents, never a tool that
starts other agents, and once per question. A caller that requires a call (\`tool_choice\`) always gets it.

## Agents and apps
${sections('agents')}
## Libraries
${sections('code')}`;
}

function sections(group: Snippet['group']): string {
  return snippets
    .filter((snippet) => snippet.group === group)
    .map(sectionOf)
    .join('');
}

function sectionOf({ id, name, parts }: Snippet): string {
  const blocks = parts.map(({ file, template }) => {
    const where = file === undefined || isOnlyName(file) ? '' : `\`${file}\`:\n\n`;
    return `${where}${fenced(fillSnippet(template, documentFacts), file)}\n`;
  });
  const note = notes[id];
  return `\n### ${name}\n\n${[...blocks, ...(note === undefined ? [] : [`${note}\n`])].join('\n')}`;
}

/** A file that may have any name need not be named. */
function isOnlyName(file: string): boolean {
  return !file.includes('/');
}

const languages: Readonly<Record<string, string>> = {
  py: 'python',
  mjs: 'js',
  toml: 'toml',
  json: 'json',
  yaml: 'yaml',
};

function fenced(text: string, file: string | undefined): string {
  const language = file === undefined ? 'sh' : languages[file.split('.').at(-1) ?? ''];
  return `\`\`\`${language ?? ''}\n${text}\n\`\`\``;
}
