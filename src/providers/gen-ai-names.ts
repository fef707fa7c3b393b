/** How OpenTelemetry's GenAI conventions name providers, by preset: https://github.com/open-telemetry/semantic-conventions-genai (read 2026-11-17). */

export const genAiNames: Readonly<Record<string, string | undefined>> = {
  anthropic: 'anthropic',
  azure: 'azure.ai.openai',
  bedrock: 'aws.bedrock',
  cohere: 'cohere',
  deepseek: 'deepseek',
  gemini: 'gcp.gemini',
  groq: 'groq',
  mistral: 'mistral_ai',
  moonshot: 'moonshot_ai',
  'moonshot-cn': 'moonshot_ai',
  openai: 'openai',
  perplexity: 'perplexity',
  vertex: 'gcp.vertex_ai',
  watsonx: 'ibm.watsonx.ai',
  xai: 'x_ai',
  'xai-us': 'x_ai',
};
