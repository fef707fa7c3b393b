/** Presets of the companies that serve models of others: inference clouds, routers and cloud platforms. */

import type { ProviderPreset } from '../provider.ts';
import { bearer, chat, completions, messages, modelsPath, responses } from './paths.ts';

const inferenceClouds: readonly ProviderPreset[] = [
  {
    name: 'groq',
    label: 'Groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    keyVariables: ['GROQ_API_KEY'],
    auth: bearer,
    formats: { ...chat, ...responses },
    modelsPath,
    priceProvider: 'groq',
    quirks: { usageInside: 'x_groq' },
  },
  {
    name: 'together',
    label: 'Together AI',
    baseUrl: 'https://api.together.xyz/v1',
    keyVariables: ['TOGETHER_API_KEY'],
    auth: bearer,
    formats: { ...chat, ...completions },
    modelsPath,
    priceProvider: 'together',
  },
  {
    name: 'fireworks',
    label: 'Fireworks AI',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    keyVariables: ['FIREWORKS_API_KEY'],
    auth: bearer,
    formats: { ...chat, ...responses, ...completions },
    modelsPath,
    priceProvider: 'fireworks',
  },
  {
    name: 'cerebras',
    label: 'Cerebras',
    baseUrl: 'https://api.cerebras.ai/v1',
    keyVariables: ['CEREBRAS_API_KEY'],
    auth: bearer,
    formats: { ...chat, ...completions },
    modelsPath,
    priceProvider: 'cerebras',
  },
  {
    name: 'sambanova',
    label: 'SambaNova',
    baseUrl: 'https://api.sambanova.ai/v1',
    keyVariables: ['SAMBANOVA_API_KEY'],
    auth: bearer,
    formats: { ...chat },
    modelsPath,
  },
  {
    name: 'nvidia',
    label: 'NVIDIA NIM',
    baseUrl: 'https://integrate.api.nvidia.com/v1',
    keyVariables: ['NVIDIA_API_KEY'],
    auth: bearer,
    formats: { ...chat },
    modelsPath,
  },
  {
    name: 'deepinfra',
    label: 'DeepInfra',
    baseUrl: 'https://api.deepinfra.com/v1/openai',
    keyVariables: ['DEEPINFRA_API_KEY'],
    auth: bearer,
    formats: { ...chat, ...completions },
    modelsPath,
  },
  {
    name: 'novita',
    label: 'Novita AI',
    baseUrl: 'https://api.novita.ai/openai/v1',
    keyVariables: ['NOVITA_API_KEY'],
    auth: bearer,
    formats: { ...chat, ...completions },
    modelsPath,
    priceProvider: 'novita',
  },
  {
    name: 'nebius',
    label: 'Nebius Token Factory',
    baseUrl: 'https://api.tokenfactory.nebius.com/v1',
    keyVariables: ['NEBIUS_API_KEY'],
    auth: bearer,
    formats: { ...chat, ...completions },
    modelsPath,
  },
  {
    name: 'hyperbolic',
    label: 'Hyperbolic',
    baseUrl: 'https://api.hyperbolic.xyz/v1',
    keyVariables: ['HYPERBOLIC_API_KEY'],
    auth: bearer,
    formats: { ...chat },
    modelsPath,
  },
  {
    name: 'baseten',
    label: 'Baseten',
    baseUrl: 'https://inference.baseten.co/v1',
    keyVariables: ['BASETEN_API_KEY'],
    auth: bearer,
    formats: { ...chat },
    modelsPath,
    priceProvider: 'baseten',
  },
  {
    name: 'friendli',
    label: 'Friendli',
    baseUrl: 'https://api.friendli.ai/serverless/v1',
    keyVariables: ['FRIENDLI_TOKEN'],
    auth: bearer,
    formats: { ...chat, ...completions },
    modelsPath,
  },
];

const routers: readonly ProviderPreset[] = [
  {
    name: 'openrouter',
    label: 'OpenRouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyVariables: ['OPENROUTER_API_KEY'],
    auth: bearer,
    formats: { ...chat, ...responses, ...completions, ...messages },
    modelsPath,
    priceProvider: 'openrouter',
  },
  {
    name: 'huggingface',
    label: 'Hugging Face',
    baseUrl: 'https://router.huggingface.co/v1',
    keyVariables: ['HF_TOKEN'],
    // Set wherever somebody downloads model files.
    keyVariableIsShared: true,
    auth: bearer,
    formats: { ...chat, ...responses },
    modelsPath,
  },
  {
    name: 'vercel',
    label: 'Vercel AI Gateway',
    baseUrl: 'https://ai-gateway.vercel.sh/v1',
    keyVariables: ['AI_GATEWAY_API_KEY'],
    auth: bearer,
    formats: { ...chat, ...messages },
    modelsPath,
  },
  {
    name: 'poe',
    label: 'Poe',
    baseUrl: 'https://api.poe.com/v1',
    keyVariables: ['POE_API_KEY'],
    auth: bearer,
    formats: { ...chat },
    modelsPath,
  },
];

const platforms: readonly ProviderPreset[] = [
  {
    // Its list names every base model, deployed or not; a deployment's name is the operator's, so none is declared.
    name: 'azure',
    label: 'Azure OpenAI',
    baseUrl: 'https://{resource}.openai.azure.com/openai/v1',
    baseUrlFrom: [
      { variable: 'AZURE_OPENAI_ENDPOINT', template: '{value}/openai/v1' },
      { variable: 'AZURE_RESOURCE_NAME', template: 'https://{value}.openai.azure.com/openai/v1' },
    ],
    keyVariables: ['AZURE_OPENAI_API_KEY'],
    auth: { style: 'header', header: 'api-key' },
    formats: { ...chat, ...responses },
    priceProvider: 'azure',
  },
  {
    // Its list of models has another shape at another path.
    name: 'github',
    label: 'GitHub Models',
    baseUrl: 'https://models.github.ai/inference',
    keyVariables: ['GITHUB_TOKEN'],
    // Set in every workflow run and by the command line tool.
    keyVariableIsShared: true,
    auth: bearer,
    formats: { ...chat },
  },
  {
    // Its list of models has another shape at another path.
    name: 'cloudflare',
    label: 'Cloudflare Workers AI',
    baseUrl: 'https://api.cloudflare.com/client/v4/accounts/{account}/ai/v1',
    baseUrlFrom: [
      {
        variable: 'CLOUDFLARE_ACCOUNT_ID',
        template: 'https://api.cloudflare.com/client/v4/accounts/{value}/ai/v1',
      },
    ],
    keyVariables: ['CLOUDFLARE_API_TOKEN'],
    // Set wherever somebody deploys a site.
    keyVariableIsShared: true,
    auth: bearer,
    formats: { ...chat, ...responses },
    priceProvider: 'cloudflare',
  },
  {
    name: 'scaleway',
    label: 'Scaleway',
    baseUrl: 'https://api.scaleway.ai/v1',
    keyVariables: ['SCW_SECRET_KEY'],
    // Set wherever somebody manages machines there.
    keyVariableIsShared: true,
    auth: bearer,
    formats: { ...chat },
    modelsPath,
  },
  {
    name: 'wandb',
    label: 'W&B Inference',
    baseUrl: 'https://api.inference.wandb.ai/v1',
    keyVariables: ['WANDB_API_KEY'],
    // Set wherever somebody records a training run.
    keyVariableIsShared: true,
    auth: bearer,
    formats: { ...chat },
    modelsPath,
  },
];

export const modelHosts: readonly ProviderPreset[] = [...inferenceClouds, ...routers, ...platforms];
