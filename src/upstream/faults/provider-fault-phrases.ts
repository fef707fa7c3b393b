/**
 * Errors that providers report in a sentence without a code: matched by the openings of their messages, never their
 * middle.
 */

import type { FaultRow } from './fault-row.ts';

/** A model's name that opens a sentence. One in quotation marks counts only where nothing else is quoted after it. */
const name = '(?:[\\w@~][\\w.:/@~+-]*|([\'"`])[\\w.:/@~+-]+\\1(?=[^\'"]*$))';

function named(rest: string): RegExp {
  return new RegExp(`^${name} ${rest}`, 'i');
}

/** Sentences about a capability begin with the model and continue with what it lacks. */
function cannot(ability: string): RegExp {
  const model = `(?:(?:this|the) (?:\\w+ )?model(?: \\S+)?|model \\S+|${name})`;
  return new RegExp(`^${model} (?:does not|doesn't|do not) support (?:${ability})\\b`, 'i');
}

function noVariant(part: string): RegExp {
  return new RegExp(
    `^failed to deserialize the json body into the target type: \\S+ unknown variant .?${part}\\b`,
    'i',
  );
}

/** Errors that only a message identifies. */
export const phrases: readonly FaultRow[] = [
  {
    meaning: 'quota',
    says: [
      /^you exceeded your current quota/i,
      /^your credit balance is too low/i,
      /^you(?:'ve| have) (?:reached|exceeded|hit) your (?:\w+ ){0,2}(?:usage|quota|spend(?:ing)?|monthly|weekly|daily)\b/i,
      /^(?:sorry, )?(?:your )?(?:account )?balance (?:is )?(?:insufficient|not enough|exhausted)/i,
      /^insufficient (?:account )?(?:balance|credits?|funds|quota)\b/i,
      /^you (?:have insufficient|do not have enough|have run out of) credits?\b/i,
      /^your team \S+ has either used all available credits/i,
      /^your newly created teams? doesn't have any credits/i,
      /^(?:the )?request failed because your account has an overdue balance/i,
      /^user is locked\. reason: (?:exhausted balance|top_up)/i,
      /^access denied(?:, please make sure your account is in good standing| due to overdue account)/i,
      /^account \S+ is suspended, possibly due to reaching the monthly spending limit/i,
      /^project does not have enough credits/i,
      /^you are using a trial key, which is limited to [\d,]+ api calls \/ month/i,
      /^(?:key|credit) limit exceeded\b/i,
      /^(?:the selected model requires paid balance|billing hard limit|out of call volume quota)/i,
      /^(?:inactive subscription or )?usage limit reached\b/i,
      /^the free (?:tier|quota) of (?:the|this) model has been exhausted/i,
      /^(?:余额不足|您的账户已欠费|已达到 ?\d+ ?\S+ ?的使用上限|您已达到每周)/,
    ],
  },
  {
    meaning: 'content',
    says: [
      /^your request was rejected (?:as a result of our|by the) safety system/i,
      /^the response was filtered due to/i,
      /^invalid prompt: (?:your prompt was flagged|we've limited access to this content)/i,
      /^output blocked by content filter/i,
      /^content (?:exists risk|violates usage guidelines)/i,
      /^(?:input|output) (?:data may contain inappropriate content|new_sensitive)/i,
      named('requires moderation on .{1,60}\\. your input was flagged'),
      /^the content could not be processed because it contained material flagged/i,
      /^the request was rejected because it was considered high risk/i,
      /^the prompt could not be submitted\b/i,
      /^your request was flagged by our content moderation system/i,
      /^the system detected potentially unsafe or sensitive content/i,
      /^系统检测到输入或生成内容可能包含不安全或敏感内容/,
    ],
  },
  {
    meaning: 'region',
    says: [
      /^user location is not supported/i,
      /^country, region, or territory not supported/i,
      /^access to \S+ models? is not allowed from unsupported countries/i,
      /^(?:this|the) (?:\w+ ){1,3}is not (?:available|supported) in your (?:region|country|location)/i,
      /^request not allowed\.?$/i,
      /^access denied\. please check your network settings/i,
      /^the request is prohibited due to a violation of provider terms of service/i,
    ],
  },
  {
    meaning: 'too-long',
    says: [
      /^(?:prompt|input) is too long\b/i,
      /^(?:your )?(?:input|context window|requested token count) exceeds (?:the context window|limit|the model's maximum)/i,
      /^this (?:model|endpoint)'s maximum (?:context|prompt) length is \d/i,
      /^the input token count\b.{0,40} exceeds the maximum/i,
      /^input length (?:and `max_tokens` exceed context limit|\(?\d+\)? exceeds)/i,
      /^prompt contains \d+ tokens\b/i,
      /^the input \(\d+ tokens\) is longer than/i,
      /^(?:the )?request (?:\(\d+ tokens\) )?exceeds the (?:available context size|maximum size)/i,
      /^prompt token count of \d+ exceeds/i,
      /^your request exceeded model token limit/i,
      /^too many tokens: total number of tokens/i,
      /^range of input length should be/i,
      /^length of prompt_tokens \(\d+\)/i,
      /^please reduce the length of the (?:messages|prompt)/i,
      /^(?:request payload size exceeds|trying to keep the first \d+ tokens)/i,
      /^`inputs` tokens \+ `max_new_tokens` must be/i,
    ],
  },
  {
    meaning: 'no-vision',
    says: [
      cannot('(?:the |input )?images?|vision|image[_ ]url'),
      noVariant('image_url'),
      /^image input (?:modality )?is not (?:enabled|supported)/i,
      /^no endpoints found that support image input/i,
      /^invalid content type\. image_url is only supported by certain models/i,
      named('is not a multimodal model'),
      /^(?:at most 0 image|the model is not a vlm|this model is missing data required for image input)/i,
    ],
  },
  {
    meaning: 'no-audio',
    says: [
      cannot('(?:the |input )?audio'),
      noVariant('input_audio'),
      /^audio input (?:modality )?is not (?:enabled|supported)/i,
      /^no endpoints found that support (?:input audio|audio input)/i,
      /^(?:invalid content type\. input_audio is only supported by|at most 0 audio)/i,
    ],
  },
  {
    meaning: 'no-files',
    says: [
      cannot('(?:the |input )?(?:pdf|file|document)s?'),
      noVariant('file'),
      /^no endpoints found that support (?:file|pdf)/i,
      /^invalid content type\. file is only supported by certain models/i,
    ],
  },
  {
    meaning: 'no-tools',
    says: [
      cannot('tools?|tool (?:use|calling|choice)|function[- ]call(?:ing|s)?|this tool_choice'),
      /^no endpoints found that support (?:tool use|the provided 'tool)/i,
      /^([`']?)(?:tools|tool (?:use|calling)|function call(?:ing)?)\1 (?:is|are) not (?:enabled|supported) (?:in|for|with)\b/i,
      /^unsupported parameter: 'tools?(?:_choice)?' is not supported with this model/i,
      /^"auto" tool choice requires --enable-auto-tool-choice/i,
    ],
  },
  {
    meaning: 'no-structured',
    says: [
      cannot('output format|structured outputs?|json (?:mode|schema|output)|response[_ ]format'),
      /^(?:invalid|unsupported) parameter: 'response_format' (?:of type '\w+' )?is not supported with this model/i,
      /^(?:this response_format type is unavailable|the response_format parameter is unsupported)/i,
      /^(?:json mode|structured outputs?) (?:is|are) not (?:enabled|supported) (?:in|for|with|by)\b/i,
    ],
  },
  {
    meaning: 'model-gone',
    says: [
      /^(?:the |this )?(?:requested )?model (?:\S+ )?(?:(?:does )?not exist|(?:is |was )?not found)\b/i,
      /^(?:the |this )?(?:requested )?model (?:\S+ )?has been (?:deprecated|decommissioned|retired|removed)/i,
      /^(?:the |this )?(?:requested )?model (?:\S+ )?is (?:deprecated|no longer (?:available|supported))/i,
      /^the model or endpoint \S+ does not exist/i,
      /^this model version has reached the end of its life/i,
      /^(?:publisher model|models\/)\S* ?\S* (?:is|was) not found\b/i,
      /^no endpoints found (?:for \S|matching your data policy)/i,
      named('is not a valid model id\\b'),
      /^invalid model(?: id\b|: \S)/i,
      /^the provided model identifier is invalid/i,
      /^you don't have access to the model with/i,
      /^invocation of model id \S+ with on-demand throughput isn't supported/i,
      /^(?:project \S+ does not have access to|unable to access|not found the) model\b/i,
      /^the (?:specified version|api deployment for this resource) does not exist/i,
    ],
  },
  { meaning: 'model-gone', statuses: [404], says: [/^model: \S+$/i] },
  {
    meaning: 'key',
    says: [
      /^(?:incorrect|invalid) (?:x-)?api[- ](?:key|token)\b/i,
      /^api key (?:not valid|not found|expired)/i,
      /^(?:the |this |your )?(?:provided )?api key (?:is|was|has been) (?:invalid|expired|disabled|revoked|deactivated|deleted|suspended|reported as leaked)/i,
      /^permission denied: consumer \S+ has been suspended/i,
      /^method doesn't allow unregistered callers/i,
      /^the security token included in the request is (?:invalid|expired)/i,
      /^access denied due to invalid subscription key/i,
      /^(?:user is locked\. reason: admin lock|no auth credentials found)/i,
      /^this (?:organization has been disabled|credential is only authorized)/i,
    ],
  },
  {
    // A request can cause these with a valid key.
    meaning: 'access',
    says: [
      /^this request (?:requires more credits|exceeds your quota)/i,
      /^you (?:do not|don't) have (?:permission|access)\b/i,
      /^you have insufficient permissions for this operation/i,
      /^your (?:api key|organization) (?:does not have permission|must be verified)\b/i,
      /^access to (?:model|this model|the model|dataset)\b.{0,200}?\bis restricted/i,
      /^access denied due to virtual network/i,
    ],
  },
  {
    meaning: 'overloaded',
    says: [
      /^overloaded\b/i,
      /^(?:(?:the|that|this|selected) )?(?:model|engine|(?:model )?service|server) (?:\S+ )?(?:is |may be )?(?:currently |temporarily )?overloaded\b/i,
      /^(?:(?:the|that|this|selected) )?(?:model|server|service) (?:\S+ )?(?:is )?(?:too )?(?:busy|at capacity|loading|not ready)\b/i,
      /^no capacity available for model/i,
      /^(?:service|flex) tier capacity exceeded/i,
      /^the (?:system|service) is (?:currently )?experiencing (?:heavy traffic|high demand)/i,
      /^the service is currently unable to handle additional requests/i,
      /^loading model\b/i,
    ],
  },
];
