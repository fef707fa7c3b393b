import { describe, expect, test } from 'bun:test';
import { recordedFiles } from '../../../test/harness/recordings.ts';
import { readFault as readMessages } from '../../formats/anthropic-messages/errors.ts';
import type { ProviderFault } from '../../formats/format.ts';
import { readFault as readGemini } from '../../formats/gemini-generate/errors.ts';
import { readFault as readChat } from '../../formats/openai-chat/errors.ts';
import { readFault as readResponses } from '../../formats/openai-responses/errors.ts';
import { type FaultMeaning, meanings } from './fault-row.ts';
import { faultRows } from './provider-fault-rows.ts';
import { meaningOf } from './provider-faults.ts';

const readers = { chat: readChat, messages: readMessages, gemini: readGemini, responses: readResponses } as const;

interface Sample {
  readonly meaning: FaultMeaning;
  readonly status: number;
  readonly body: string;
  readonly fault: ProviderFault | undefined;
}

/** A line is the format that reads the body, the status, and the body as the service wrote it. */
function samplesOf(meaning: FaultMeaning, lines: string): Sample[] {
  return lines
    .trim()
    .split('\n')
    .map((line) => {
      const [format, status, ...rest] = line.trim().split(' ');
      const body = rest.join(' ').replaceAll('\\`', '`');
      return { meaning, status: Number(status), body, fault: readers[format as keyof typeof readers](body) };
    });
}

const quota = String.raw`
  chat 429 {"error":{"message":"You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}
  chat 400 {"error":{"code":"billing_hard_limit_reached","message":"Billing hard limit has been reached","param":null,"type":"invalid_request_error"}}
  chat 429 {"error":{"message":"Rate limit reached for gpt-4o in organization org-x on requests per day (RPD): Limit 200, Used 200, Requested 1. Please try again in 7m12s.","type":"requests","param":null,"code":"rate_limit_exceeded"}}
  chat 429 {"error":{"message":"Rate limit reached for model \`llama-3.3-70b-versatile\` in organization \`org_01kjh7p9n8f1qs6nz2bz77vy6b\` service tier \`on_demand\` on tokens per day (TPD): Limit 100000, Used 97050, Requested 3619. Please try again in 9m38.016s. Need more tokens? Upgrade to Dev Tier today at https://console.groq.com/settings/billing","type":"tokens","code":"rate_limit_exceeded"}}
  messages 400 {"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."},"request_id":"req_011CbrFTcXhtiMzr3s6EocF7"}
  messages 400 {"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. You will regain access on 2026-04-01 at 00:00 UTC."},"request_id":"req_011CZM37KZVHEegQcQEk3tSW"}
  messages 402 {"type":"error","error":{"type":"billing_error","message":"There's an issue with your billing or payment information."}}
  chat 402 {"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}
  chat 402 {"error":{"message":"Insufficient credits. Add more using https://openrouter.ai/settings/credits","code":402}}
  chat 403 {"error":{"message":"Key limit exceeded (total limit). Manage it using https://openrouter.ai/settings/keys","code":403}}
  chat 429 {"error":{"message":"Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day","code":429,"metadata":{"headers":{"X-RateLimit-Limit":"50"}}}}
  chat 429 {"code":"Some resource has been exhausted","error":"Your team 16f2151a-40f4-4a80-8ad0-cae00c27e8dd has either used all available credits or reached its monthly spending limit. To continue making API requests, please purchase more credits or raise your spending limit."}
  chat 403 {"code":"The caller does not have permission to execute the specified operation","error":"Your newly created teams doesn't have any credits yet. You can purchase credits on https://console.x.ai/team/default."}
  chat 429 {"error":{"message":"Your account org-x <ak-y> is suspended due to insufficient balance, please recharge your account or check your plan and billing details","type":"exceeded_current_quota_error"}}
  chat 403 {"error":{"message":"Your account xx is not active, organization xx exceeded current quota, please check your plan and billing details","type":"exceeded_current_quota_error"}}
  chat 429 {"error":{"message":"Your account org-x<ak-y> request reached TPD rate limit, current: 1505000, limit: 1500000","type":"rate_limit_reached_error"}}
  chat 429 {"error":{"code":"1113","message":"余额不足或无可用资源包,请充值。"}}
  chat 429 {"error":{"code":"1113","message":"Insufficient balance or no resource package. Please recharge."}}
  chat 429 {"error":{"code":"1308","message":"Usage limit reached for 5 hour. Your limit will reset at 2026-08-01 12:00:00"}}
  chat 400 {"error":{"code":"Arrearage","param":null,"message":"Access denied, please make sure your account is in good standing.","type":"Arrearage"},"id":"chatcmpl-f9","request_id":"f9"}
  chat 403 {"error":{"message":"Access denied due to overdue account","type":"invalid_request_error"}}
  chat 403 {"code":"AllocationQuota.FreeTierOnly","message":"The free tier of the model has been exhausted. If you wish to continue access the model on a paid basis, please disable the \"use free tier only\" mode in the management console.","request_id":"f1"}
  chat 403 {"error":{"code":"AccountOverdueError","message":"The request failed because your account has an overdue balance. Request id: 021758","param":"","type":"Forbidden"}}
  chat 403 {"error":{"code":"","message":"The request failed because your account has an overdue balance. Request id: 021758"}}
  chat 429 {"error":{"code":"SetLimitExceeded","message":"Your account 2100 has reached the set inference limit for the doubao-seed model, and the model service has been paused.","param":"","type":"TooManyRequests"}}
  messages 500 {"type":"error","error":{"type":"api_error","message":"insufficient balance (1008)"},"request_id":"05997465cd2ee4bd50b24b216c911b75"}
  messages 429 {"type":"error","error":{"type":"insufficient_balance_error","message":"insufficient balance (1008)","http_code":"429"},"request_id":"06"}
  chat 403 {"code":30001,"message":"Sorry, your account balance is insufficient","data":null}
  chat 403 {"code":30011,"message":"The selected model requires paid balance. Your paid balance is insufficient. Please top up and try again.","data":null}
  chat 403 {"detail":"User is locked. Reason: Exhausted balance. Top up your balance at fal.ai/dashboard/billing."}
  chat 402 {"title":"Insufficient credit","detail":"You have insufficient credit to run this model. Go to https://replicate.com/account/billing#billing to purchase credit."}
  chat 429 {"code":1102,"message":"Account balance not enough","request_id":"CjikY2gHPbcAAAAAACVwJA"}
  chat 402 {"id":"4212a4b6","name":"payment_required","errors":["You lack sufficient credits to make this request."]}
  chat 402 {"err_code":"ASR_PAYMENT_REQUIRED","err_msg":"Project does not have enough credits for an ASR request and does not have an overage agreement.","request_id":"r"}
  chat 403 {"message":"Inactive subscription or usage limit reached"}
  chat 401 {"message":"Inactive subscription or usage limit reached","request_id":"abc"}
  chat 403 {"statusCode":403,"message":"Out of call volume quota. Quota will be replenished in 10.11:22:33."}
  chat 412 {"error":{"message":"Account acme is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices.","code":"PRECONDITION_FAILED","type":"error"}}
  chat 402 {"error":"You have exceeded your monthly included credits for Inference Providers. Subscribe to PRO to get 20x more monthly included credits."}
  chat 401 {"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":401}}
  chat 401 {"error":{"message":"Insufficient balance. Manage your billing here: https://example.com","type":"CreditsError","param":"","code":null}}
  chat 429 {"message":"You are using a Trial key, which is limited to 1000 API calls / month. You can continue to use the Trial key for free or upgrade to a Production key with higher rate limits at 'https://dashboard.cohere.com/api-keys'."}
  chat 402 {"error":{"message":"Credit limit exceeded, please navigate to https://api.together.xyz/settings/billing to update your credit limit.","type":"credit_limit","param":null,"code":null}}
  messages 429 {"message":"Too many tokens per day, please wait before trying again."}
  gemini 429 {"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits. \n* Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_input_token_count, limit: 0, model: gemini-2.5-pro\nPlease retry in 20.04466179s.","status":"RESOURCE_EXHAUSTED"}}
  gemini 403 {"error":{"code":403,"message":"This API method requires billing to be enabled.","status":"PERMISSION_DENIED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"BILLING_DISABLED","domain":"googleapis.com"}]}}
  chat 402 {}
`;

const rate = String.raw`
  chat 429 {"error":{"message":"Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used 29000, Requested 1500. Please try again in 1s.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}
  chat 429 {"error":{"message":"Rate limit reached for model \`llama3-70b-8192\` in organization \`org_01\` on tokens per minute (TPM): Limit 7000, Used 0, Requested ~1903. Please try again in 50.597142857s.","type":"tokens","code":"rate_limit_exceeded"}}
  messages 429 {"type":"error","error":{"type":"rate_limit_error","message":"This request would exceed your organization's rate limit of 40,000 input tokens per minute."}}
  chat 429 {"error":{"code":"429","message":"Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-08-01-preview have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 86400 seconds."}}
  chat 429 {"object":"error","message":"Rate limit exceeded","type":"rate_limited","param":null,"code":"1300","raw_status_code":429}
  chat 429 {"message":"Requests rate limit exceeded"}
  chat 429 {"error":{"message":"Your account org-x request reached max request: 3, please try again after 1 seconds","type":"rate_limit_reached_error"}}
  chat 429 {"error":{"code":"1302","message":"您当前使用该 API 的并发数过高,请降低并发,或联系客服增加限额"}}
  chat 429 {"error":{"message":"Allocated quota exceeded, please increase your quota limit.","type":"insufficient_quota","param":null,"code":"insufficient_quota"}}
  chat 429 {"code":"Throttling.RateQuota","message":"Requests rate limit exceeded, please try again later.","request_id":"1"}
  chat 429 {"error":{"message":"You exceeded your current requests list.","type":"limit_requests","code":"limit_requests"}}
  chat 429 {"error":{"code":"RateLimitExceeded.EndpointRPMExceeded","message":"The Requests Per Minute (RPM) limit of the associated endpoint for your account has been exceeded.","param":"","type":"TooManyRequests"}}
  gemini 429 {"error":{"code":429,"message":"Resource has been exhausted (e.g. check quota).","status":"RESOURCE_EXHAUSTED"}}
  gemini 429 {"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. \n* Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 10, model: gemini-2.5-flash\nPlease retry in 23.4s.","status":"RESOURCE_EXHAUSTED"}}
  chat 429 [{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. \n* Quota exceeded for metric: x, limit: 10, model: gemini-2.5-flash\nPlease retry in 23.4s.","status":"RESOURCE_EXHAUSTED"}}]
  gemini 429 {"error":{"code":429,"message":"Quota exceeded for aiplatform.googleapis.com/generate_content_requests_per_minute_per_project_per_base_model with base model: gemini-pro. Please submit a quota increase request.","status":"RESOURCE_EXHAUSTED"}}
  messages 429 {"message":"Too many tokens, please wait before trying again."}
  chat 429 {"error":{"message":"Rate limit exceeded: free-models-per-min. ","code":429}}
  chat 429 {"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"x is temporarily rate-limited upstream","provider_name":"X"}}}
  chat 429 {"message":"You are using a Trial key, which is limited to 40 API calls / minute."}
  chat 503 {"error":{"message":"Slow down","type":"server_error","param":null,"code":"slow_down"}}
  chat 429 <html>Too Many Requests</html>
`;

const overloaded = `
  messages 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}
  messages 500 {"type":"error","error":{"type":"api_error","message":"Overloaded"}}
  chat 503 {"error":{"message":"The engine is currently overloaded, please try again later","type":"server_error","param":null,"code":null}}
  chat 429 {"error":{"message":"The engine is currently overloaded, please try again later","type":"engine_overloaded_error"}}
  chat 429 {"error":{"message":"That model is currently overloaded with other requests. You can retry your request.","type":"requests","param":null,"code":null}}
  gemini 503 {"error":{"code":503,"message":"The model is overloaded. Please try again later.","status":"UNAVAILABLE"}}
  gemini 429 {"error":{"code":429,"message":"No capacity available for model gemini-3.1-flash-lite on the server","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"MODEL_CAPACITY_EXHAUSTED"}]}}
  chat 429 [{"error":{"code":429,"message":"No capacity available for model gemini-3.1-flash-lite on the server","status":"RESOURCE_EXHAUSTED"}}]
  chat 498 {"error":{"message":"Flex tier capacity exceeded for model","type":"invalid_request_error","code":"capacity_exceeded"}}
  chat 429 {"object":"error","message":"Service tier capacity exceeded for this model.","type":"invalid_request_error","param":null,"code":null}
  chat 503 {"error":{"message":"Service is too busy. We advise users to temporarily switch to alternative LLM API service providers.","type":"service_unavailable_error","param":null,"code":"service_unavailable_error"}}
  chat 429 {"error":{"code":"ServerOverloaded","message":"The service is currently unable to handle additional requests due to server overload. Please try again later.","param":"","type":"TooManyRequests"}}
  chat 429 {"error":{"code":"","message":"The service is currently unable to handle additional requests due to server overload."}}
  chat 429 {"error":{"code":"1305","message":"The service may be temporarily overloaded, please try again later"}}
  chat 429 {"error":{"code":"NoCapacity","message":"The system is currently experiencing high demand and cannot process your request. Your request exceeds the maximum usage size allowed during peak load."}}
  chat 429 {"detail":{"status":"system_busy","message":"The system is experiencing heavy traffic, please try again. Higher subscriptions have higher priority."}}
  chat 429 {"error":{"message":"Resource Unavailable","type":"resource_unavailable","param":null,"code":"resource_unavailable"}}
  chat 503 {"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}
  chat 503 {"error":"server busy, please try again.  maximum pending requests exceeded"}
  chat 503 {"code":50505,"message":"Model service overloaded. Please try again later.","data":null}
  chat 503 <html>upstream</html>
`;

const key = `
  chat 401 {"error":{"message":"Incorrect API key provided: sk-abcd*********wxyz. You can find your API key at https://platform.openai.com/account/api-keys.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}
  chat 400 {"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***EF. You can obtain an API key from https://console.x.ai."}
  messages 401 {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}
  messages 400 {"type":"error","error":{"type":"invalid_request_error","message":"This organization has been disabled."}}
  messages 400 {"type":"error","error":{"type":"invalid_request_error","message":"This credential is only authorized for use with Claude Code and cannot be used for other API requests."}}
  gemini 400 {"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}}
  chat 400 [{"error":{"code":400,"message":"API key expired. Please renew the API key.","status":"INVALID_ARGUMENT"}}]
  gemini 403 {"error":{"code":403,"message":"Your API key was reported as leaked. Please use another API key.","status":"PERMISSION_DENIED"}}
  gemini 403 {"error":{"code":403,"message":"Generative Language API has not been used in project 1 before or it is disabled.","status":"PERMISSION_DENIED","details":[{"reason":"SERVICE_DISABLED"}]}}
  chat 401 {"error":{"code":"401","message":"Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription."}}
  chat 401 {"error":{"message":"No auth credentials found","code":401}}
  chat 401 {"error":{"message":"Authentication Fails (no such user)","type":"authentication_error","param":null,"code":"invalid_request_error"}}
  messages 403 {"message":"The security token included in the request is invalid."}
  chat 400 {"error":{"message":"Organization has been restricted. Please reach out to support if you believe this was in error.","type":"invalid_request_error","code":"organization_restricted"}}
  chat 429 {"error":{"code":"1112","message":"您的账户已被锁定,请联系客服解锁"}}
  chat 401 {"detail":{"status":"invalid_api_key","message":"Invalid API key"}}
  chat 403 {"detail":"User is locked. Reason: Admin lock. Please contact support@fal.ai"}
  gemini 403 {"error":{"code":403,"message":"Permission denied: Consumer 'api_key:AIza0' has been suspended.","status":"PERMISSION_DENIED"}}
  gemini 403 {"error":{"code":403,"message":"Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.","status":"PERMISSION_DENIED"}}
  chat 401 Unauthorized
`;

const content = String.raw`
  chat 403 {"id":"8e3f8b6e","name":"content_moderation","errors":["Your request was flagged by our content moderation system, as a result your request was denied and you were not charged."]}
  chat 400 {"error":{"code":"content_policy_violation","message":"Your request was rejected as a result of our safety system. Your prompt may contain text that is not allowed by our safety system.","param":null,"type":"invalid_request_error"}}
  chat 400 {"error":{"message":"Your request was rejected by the safety system. If you believe this is an error, contact us at help.openai.com and include the request ID.","type":"image_generation_user_error","param":null,"code":"moderation_blocked"}}
  responses 400 {"error":{"message":"Invalid prompt: your prompt was flagged as potentially violating our usage policy. Please try again with a different prompt.","type":"invalid_request_error","param":null,"code":"invalid_prompt"}}
  chat 400 {"error":{"message":"The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.","type":null,"param":"prompt","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}
  chat 400 {"error":{"message":"litellm.BadRequestError: litellm.ContentPolicyViolationError: AzureException - The response was filtered due to the prompt triggering Azure OpenAI’s content management policy.","type":null,"param":null,"code":"400"}}
  messages 400 {"type":"error","error":{"type":"invalid_request_error","message":"Output blocked by content filtering policy"}}
  chat 400 {"error":{"message":"Content Exists Risk","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}
  chat 403 {"code":"The caller does not have permission to execute the specified operation","error":"Content violates usage guidelines. Team: 1, API key ID: 2, Model: grok-4, Failed check: SAFETY_CHECK_TYPE_CSAM"}
  chat 403 {"error":{"message":"openai/gpt-4o requires moderation on OpenAI. Your input was flagged for \"harassment\". No credits were charged.","code":403,"metadata":{"reasons":["harassment"],"flagged_input":"..."}}}
  chat 400 {"error":{"code":"data_inspection_failed","param":null,"message":"Input data may contain inappropriate content.","type":"data_inspection_failed"},"id":"chatcmpl-1"}
  chat 400 {"code":"DataInspectionFailed","message":"Output data may contain inappropriate content.","request_id":"1"}
  chat 400 {"error":{"code":"1301","message":"系统检测到输入或生成内容可能包含不安全或敏感内容,请您避免输入易产生敏感内容的提示语,感谢您的配合"}}
  chat 400 {"error":{"code":"1301","message":"The system detected potentially unsafe or sensitive content in input or generation."}}
  chat 400 {"error":{"code":"InputTextSensitiveContentDetected","message":"The request failed because the input text may contain sensitive information. Request id: 02","param":"","type":"BadRequest"}}
  chat 400 {"error":{"code":"SensitiveContentDetected.Violence","message":"The request failed because the input text may contain violence information.","param":"","type":"BadRequest"}}
  chat 400 {"error":{"message":"The request was rejected because it was considered high risk","type":"content_filter"}}
  messages 400 {"type":"error","error":{"type":"invalid_request_error","message":"input new_sensitive (1026)"}}
  chat 422 {"detail":[{"loc":["body","prompt"],"msg":"The content could not be processed because it contained material flagged by a content checker.","type":"content_policy_violation"}]}
  gemini 400 {"error":{"code":400,"message":"The prompt could not be submitted. This prompt contains sensitive words that violate Google's Responsible AI practices.","status":"INVALID_ARGUMENT"}}
  chat 403 {"name":"content_moderation","message":"Your request was flagged by our content moderation system, as a result your request was denied."}
`;

/** What a caller can bring about with a key that works: it must never count against the key. */
const access = `
  chat 402 {"error":{"message":"This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 27342. To increase, visit https://openrouter.ai/settings/credits and upgrade to a paid account","code":402,"metadata":{"provider_name":null}},"user_id":"user_3"}
  chat 401 {"detail":{"status":"quota_exceeded","message":"This request exceeds your quota of 10000. You have 0 credits remaining, while 91 credits are required for this request."}}
  messages 403 {"type":"error","error":{"type":"permission_error","message":"Your API key does not have permission to use the specified resource."}}
  chat 403 {"error":{"code":"403","message":"Access denied due to Virtual Network/Firewall rules."}}
  gemini 403 {"error":{"code":403,"message":"You do not have permission to access the File abc or it may not exist.","status":"PERMISSION_DENIED"}}
  gemini 403 {"error":{"code":403,"message":"CachedContent not found (or permission denied)","status":"PERMISSION_DENIED"}}
  chat 403 {"error":{"message":"Your organization must be verified to use the model \`o3\`. Please go to: https://platform.openai.com/settings/organization/general","type":"invalid_request_error","param":null,"code":null}}
  chat 401 {"error":{"message":"You have insufficient permissions for this operation. Missing scopes: api.model.read.","type":"invalid_request_error","param":null,"code":null}}
  messages 403 {"type":"error","error":{"type":"permission_error","message":"Your account does not have access to this file."}}
  chat 403 {"error":"Access to model meta-llama/Llama-3 is restricted and you are not in the authorized list."}
  chat 401 {"error":"Access to model meta-llama/Llama-3 is restricted. You must have access to it and be authenticated to access it."}
  chat 403 <html><head><title>403 Forbidden</title></head><body>nginx</body></html>
`;
const region = `
  chat 403 {"error":{"code":"unsupported_country_region_territory","message":"Country, region, or territory not supported","param":null,"type":"request_forbidden"}}
  gemini 400 {"error":{"code":400,"message":"User location is not supported for the API use.","status":"FAILED_PRECONDITION"}}
  messages 403 {"error":{"type":"forbidden","message":"Request not allowed"}}
  messages 400 {"message":"Access to Anthropic models is not allowed from unsupported countries, regions, or territories. Please refer to the supported list."}
  chat 403 {"error":{"message":"This model is not available in your region.","code":403}}
  chat 403 {"error":{"message":"Access denied. Please check your network settings."}}
  chat 403 {"error":{"message":"The request is prohibited due to a violation of provider Terms Of Service.","code":403}}
`;

const tooLong = String.raw`
  chat 400 {"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}
  responses 400 {"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}
  chat 400 {"object":"error","message":"This model's maximum context length is 8192 tokens. However, you requested 27022 tokens (22926 in the messages, 4096 in the completion).","type":"BadRequestError","param":null,"code":400}
  chat 429 {"error":{"message":"Request too large for gpt-4o in organization org-V on tokens per min (TPM): Limit 30000, Requested 30601. The input or output tokens must be reduced in order to run successfully.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}
  chat 413 {"error":{"message":"Request too large for model \`llama-3.1-8b-instant\` in organization \`org_x\` service tier \`on_demand\` on tokens per minute (TPM): Limit 6000, Requested 12328, please reduce your message size and try again.","type":"tokens","code":"rate_limit_exceeded"}}
  chat 400 {"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}
  messages 400 {"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 213462 tokens > 200000 maximum"}}
  messages 400 {"type":"error","error":{"type":"invalid_request_error","message":"input length and \`max_tokens\` exceed context limit: 190000 + 21333 > 200000, decrease input length or \`max_tokens\` and try again"}}
  messages 413 {"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}
  messages 429 {"type":"error","error":{"type":"rate_limit_error","message":"Extra usage is required for long context requests."}}
  messages 400 {"message":"Input is too long for requested model."}
  gemini 400 {"error":{"code":400,"message":"The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).","status":"INVALID_ARGUMENT"}}
  chat 400 {"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 537812 tokens."}
  chat 400 {"error":{"message":"This endpoint's maximum context length is 128000 tokens. However, you requested about 140000 tokens","code":400}}
  chat 400 {"object":"error","message":"Prompt contains 40007 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_error","param":null,"code":"3051"}
  chat 400 {"error":{"message":"Invalid request: Your request exceeded model token limit: 8192","type":"invalid_request_error"}}
  chat 400 {"message":"too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 6000. Try using a shorter prompt."}
  chat 422 {"error":{"message":"The input (20000 tokens) is longer than the model's context length (8192 tokens).","type":"invalid_request_error"}}
  chat 400 {"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}}
  messages 400 {"type":"error","error":{"type":"invalid_request_error","message":"invalid params, context window exceeds limit (2013)"}}
  chat 400 {"error":{"code":"invalid_parameter_error","message":"Range of input length should be [1, 30720]","param":null,"type":"invalid_request_error"}}
  chat 400 {"error":{"message":"prompt token count of 300000 exceeds the limit of 200000","code":"model_max_prompt_tokens_exceeded"}}
  chat 400 {"error":{"message":"Input length (265330) exceeds model's maximum context length (262144).","type":"BadRequestError"}}
  chat 400 {"code":20015,"message":"length of prompt_tokens (40000) must be less than max_seq_len (32768).","data":null}
  chat 422 {"error":"Input validation error: \`inputs\` tokens + \`max_new_tokens\` must be <= 4096. Given: 5000","error_type":"validation"}
  gemini 400 {"error":{"code":400,"message":"Request payload size exceeds the limit: 20971520 bytes.","status":"INVALID_ARGUMENT"}}
  chat 413 <html>413 Request Entity Too Large</html>
  chat 400 {"error":{"message":"Invalid 'messages[1].content': string too long. Expected a string with maximum length 10485760, but got a string with length 11000000 instead.","type":"invalid_request_error","param":"messages[1].content","code":"string_above_max_length"}}
`;

const abilities: readonly (readonly [FaultMeaning, string])[] = [
  [
    'no-vision',
    String.raw`
  chat 404 {"error":{"message":"No endpoints found that support image input","code":404}}
  chat 400 {"error":{"message":"Failed to deserialize the JSON body into the target type: messages[7]: unknown variant \`image_url\`, expected \`text\` at line 1 column 114708","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}
  chat 400 {"error":{"message":"Invalid content type. image_url is only supported by certain models.","type":"invalid_request_error","param":"messages.[0].content.[1].type","code":null}}
  chat 400 {"object":"error","message":"facebook/opt-125m is not a multimodal model None","type":"BadRequestError","param":null,"code":400}
  chat 400 {"object":"error","message":"At most 0 image(s) may be provided in one prompt.","type":"BadRequestError","param":null,"code":400}
  chat 500 {"error":{"code":500,"message":"image input is not supported - hint: if this is unexpected, you may need to provide the mmproj","type":"server_error"}}
  messages 400 {"message":"This model doesn't support the image content block that you provided. Update the model id or remove the image block."}
  gemini 400 {"error":{"code":400,"message":"Image input modality is not enabled for models/gemma-3-1b-it","status":"INVALID_ARGUMENT"}}
  chat 400 {"code":20041,"message":"The model is not a VLM (Vision Language Model). Please use text-only prompts.","data":null}
  `,
  ],
  [
    'no-audio',
    String.raw`
  gemini 400 {"error":{"code":400,"message":"Audio input modality is not enabled for models/gemma-3-27b-it","status":"INVALID_ARGUMENT"}}
  chat 404 {"error":{"message":"No endpoints found that support input audio","code":404}}
  chat 400 {"error":{"message":"This model does not support audio inputs.","type":"invalid_request_error","param":"messages","code":null}}
  chat 400 {"object":"error","message":"At most 0 audio(s) may be provided in one prompt.","type":"BadRequestError","param":null,"code":400}
  chat 400 {"error":{"message":"Failed to deserialize the JSON body into the target type: messages[0]: unknown variant \`input_audio\`, expected \`text\` at line 1 column 99","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}
  `,
  ],
  [
    'no-files',
    String.raw`
  messages 400 {"type":"error","error":{"type":"invalid_request_error","message":"'claude-3-haiku-20240307' does not support PDF input."}}
  messages 400 {"message":"This model doesn't support the document content block that you provided."}
  chat 404 {"error":{"message":"No endpoints found that support file input","code":404}}
  chat 400 {"error":{"message":"Invalid content type. file is only supported by certain models.","type":"invalid_request_error","param":null,"code":null}}
  chat 400 {"error":{"message":"Failed to deserialize the JSON body into the target type: messages[0]: unknown variant \`file\`, expected \`text\` at line 1 column 99","type":"invalid_request_error"}}
  `,
  ],
  [
    'no-tools',
    String.raw`
  chat 404 {"error":{"message":"No endpoints found that support tool use. Try disabling \"question\". To learn more about provider routing, visit: https://openrouter.ai/docs/guides/routing/provider-selection","code":404}}
  messages 400 {"message":"This model doesn't support tool use in streaming mode."}
  chat 400 {"error":{"message":"registry.ollama.ai/library/llama2:latest does not support tools","type":"api_error","param":null,"code":null}}
  chat 400 {"error":{"message":"deepseek-reasoner does not support Function Calling","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}
  gemini 400 {"error":{"code":400,"message":"Function calling is not enabled for models/gemma-3-27b-it","status":"INVALID_ARGUMENT"}}
  chat 400 {"error":{"message":"\`tool calling\` is not supported with this model","type":"invalid_request_error"}}
  chat 400 {"error":{"message":"Unsupported parameter: 'tools' is not supported with this model.","type":"invalid_request_error","param":"tools","code":"unsupported_parameter"}}
  chat 400 {"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","param":null,"code":400}
  `,
  ],
  [
    'no-structured',
    String.raw`
  chat 400 {"error":{"message":"Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model. Learn more about supported models at the Structured Outputs guide: https://platform.openai.com/docs/guides/structured-outputs","type":"invalid_request_error","param":null,"code":null}}
  chat 400 {"error":{"message":"This response_format type is unavailable now","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}
  chat 400 {"error":{"message":"This model does not support response format \`json_schema\`. See supported models at https://console.groq.com/docs/structured-outputs#supported-models","type":"invalid_request_error","param":"response_format"}}
  gemini 400 {"error":{"code":400,"message":"Json mode is not enabled for models/gemini-pro","status":"INVALID_ARGUMENT"}}
  messages 400 {"type":"error","error":{"type":"invalid_request_error","message":"'claude-sonnet-4-20250514' does not support output format."}}
  chat 400 {"code":"Client specified an invalid argument","error":"The response_format parameter is unsupported at the moment. Leave it unset."}
  `,
  ],
];

const modelGone = String.raw`
  chat 404 {"error":{"message":"The model \`gpt-9\` does not exist or you do not have access to it.","type":"invalid_request_error","param":null,"code":"model_not_found"}}
  chat 403 {"error":{"message":"Project \`proj_x\` does not have access to model \`gpt-5\`","type":"invalid_request_error","param":null,"code":"model_not_found"}}
  chat 403 {"error":{"message":"Project \`proj_x\` does not have access to model \`gpt-5\`","type":"invalid_request_error"}}
  chat 400 {"error":{"message":"The model \`mixtral-8x7b-32768\` has been decommissioned and is no longer supported.","type":"invalid_request_error","code":"model_decommissioned"}}
  chat 404 {"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, please wait a moment and try again."}}
  messages 404 {"type":"error","error":{"type":"not_found_error","message":"model: claude-9-opus"}}
  gemini 404 {"error":{"code":404,"message":"models/gemini-1.5-flash is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models.","status":"NOT_FOUND"}}
  gemini 404 {"error":{"code":404,"message":"This model models/gemini-2.0-flash is no longer available.","status":"NOT_FOUND"}}
  gemini 404 {"error":{"code":404,"message":"Publisher Model \`projects/p/locations/l/publishers/google/models/x\` was not found or your project does not have access to it.","status":"NOT_FOUND"}}
  chat 400 {"error":{"message":"acme/foo is not a valid model ID","code":400}}
  chat 404 {"error":{"message":"No endpoints found for acme/foo.","code":404}}
  chat 400 {"object":"error","message":"Invalid model: foo","type":"invalid_model","param":null,"code":"1500"}
  chat 400 {"error":{"message":"Model Not Exist","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}
  chat 404 {"error":"model \"llama9\" not found, try pulling it first"}
  chat 404 {"object":"error","message":"The model \`x\` does not exist.","type":"NotFoundError","param":"model","code":404}
  chat 404 {"message":"model 'command-x' not found, make sure the correct model ID was used and that you have access to the model."}
  chat 404 {"error":{"message":"Not found the model foo or Permission denied","type":"resource_not_found_error"}}
  chat 404 {"error":{"message":"Unable to access model acme/x. Please visit https://api.together.ai/models to view the list of supported models.","type":"invalid_request_error","param":null,"code":"model_not_available"}}
  chat 404 {"error":{"code":"ModelNotOpen","message":"Your account 2100 has not activated the model doubao. Please activate the model service in the Ark Console.","param":"","type":"NotFound"}}
  chat 404 {"error":{"code":"InvalidEndpointOrModel.NotFound","message":"The model or endpoint foo does not exist or you do not have access to it.","param":"","type":"NotFound"}}
  messages 400 {"message":"Invocation of model ID anthropic.claude-3-5-sonnet-20240620-v1:0 with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model."}
  messages 403 {"message":"You don't have access to the model with the specified model ID."}
  messages 400 {"message":"The provided model identifier is invalid."}
  messages 404 {"message":"This model version has reached the end of its life. Please refer to the AWS documentation for more details."}
  chat 422 {"title":"Invalid version or not permitted","detail":"The specified version does not exist (or perhaps you don't have permission to use it?)","status":422}
  chat 400 {"code":20012,"message":"Model does not exist. Please check it carefully.","data":null}
`;

const server = `
  chat 500 {"error":{"message":"The server had an error while processing your request. Sorry about that!","type":"server_error","param":null,"code":null}}
  messages 500 {"type":"error","error":{"type":"api_error","message":"Internal server error"}}
  gemini 500 {"error":{"code":500,"message":"An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting","status":"INTERNAL"}}
  chat 502 {"error":{"message":"Provider returned error","code":502}}
  chat 504 <html><head><title>504 Gateway Time-out</title></head></html>
  chat 520 error code: 520
`;

const plain = String.raw`
  chat 400 {"error":{"message":"Invalid 'user': string too long. Expected a string with maximum length 64, but got a string with length 150 instead.","type":"invalid_request_error","param":"user","code":"string_above_max_length"}}
  chat 400 {"error":{"message":"Unsupported parameter: 'temperature' is not supported with this model.","type":"invalid_request_error","param":"temperature","code":null}}
  chat 400 {"error":{"message":"max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.","type":"invalid_request_error","param":"max_tokens","code":"invalid_value"}}
  gemini 400 {"error":{"code":400,"message":"Function calling with a response mime type: 'application/json' is unsupported","status":"INVALID_ARGUMENT"}}
  gemini 400 {"error":{"code":400,"message":"Function calling mode \`ANY\` is not enabled for api version v1beta","status":"INVALID_ARGUMENT"}}
  chat 404 {"error":{"message":"Invalid URL (POST /v1/chat/completion)","type":"invalid_request_error","param":null,"code":null}}
  chat 404 <html>Not Found</html>
  messages 404 {"type":"error","error":{"type":"not_found_error","message":"Not found"}}
  chat 400 {"error":{"message":"Unsupported parameter: 'response_format'. In the Responses API, this parameter has moved to 'text.format'.","type":"invalid_request_error","param":null,"code":"unsupported_parameter"}}
  chat 422 {"detail":[{"loc":["body","messages"],"msg":"field required","type":"value_error.missing"}]}
`;

const samples = [
  ...samplesOf('quota', quota),
  ...samplesOf('rate', rate),
  ...samplesOf('overloaded', overloaded),
  ...samplesOf('key', key),
  ...samplesOf('content', content),
  ...samplesOf('access', access),
  ...samplesOf('region', region),
  ...samplesOf('too-long', tooLong),
  ...abilities.flatMap(([meaning, lines]) => samplesOf(meaning, lines)),
  ...samplesOf('model-gone', modelGone),
  ...samplesOf('server', server),
  ...samplesOf('plain', plain),
];

describe("providers' own bodies", () => {
  for (const { meaning, status, body, fault } of samples) {
    test(`${meaning}: ${status} ${body.slice(0, 110)}`, () => {
      expect(meaningOf({ status, fault })).toBe(meaning);
    });
  }

  test('every meaning has a sentence and a body that shows it', () => {
    expect(new Set<string>(samples.map(({ meaning }) => meaning))).toEqual(new Set(Object.keys(meanings)));
    for (const sentence of Object.values(meanings)) expect(sentence).toMatch(/^[A-Z].+\.$/);
  });

  test('every opening of the table is one that a body has', () => {
    const unwrapped = samples.map(({ fault }) =>
      (fault?.message ?? '')
        .replaceAll('\u2019', "'")
        .replace(/^.*?(?:Error:|Exception -|error:|params,|request:) /s, ''),
    );
    const whole = samples.map(({ fault }) => fault?.message ?? '');
    const openings = faultRows.flatMap((row) => row.says ?? []);
    expect(openings.filter((opening) => ![...unwrapped, ...whole].some((message) => opening.test(message)))).toEqual(
      [],
    );
  });
});

describe('what a caller wrote', () => {
  const fault = (message: string): ProviderFault => ({
    message,
    type: 'invalid_request_error',
    code: 'invalid_value',
    param: undefined,
  });
  const quotations: readonly ((text: string) => string)[] = [
    (text) => `Invalid value: '${text}'. Supported values are: 'system', 'user' and 'assistant'.`,
    (text) => `'${text}' is not one of ['system', 'user'] - 'messages.0.role'`,
    (text) => `messages.0.content: ${text}`,
    (text) => `Could not read the prompt. It begins: ${text}`,
    (text) => `1 validation error for Request\nmessages.0\n${text}`,
    (text) => `Unknown tool "${text}"`,
    (text) => `'a' ${text}' is not a role`,
    (text) => `'a' does not support tools' is not one of ['system'], ${text}`,
  ];

  test('is no verdict when a message quotes it', () => {
    const said = samples.map((sample) => sample.fault?.message ?? '').filter((message) => message !== '');
    const fooled = said.flatMap((text) =>
      quotations
        .map((quote) => quote(text))
        .filter((message) => meaningOf({ status: 400, fault: fault(message) }) !== 'plain'),
    );
    expect(fooled).toEqual([]);
    expect(said.length).toBeGreaterThan(150);
  });

  test('does not turn a wait into a dead account, nor a refusal into a dead key', () => {
    const asked =
      'Rate limited while working on: "insufficient_quota, your credit balance is too low, invalid api key"';
    expect(meaningOf({ status: 429, fault: { ...fault(asked), code: 'rate_limit_exceeded' } })).toBe('rate');
    expect(meaningOf({ status: 400, fault: fault('insufficient_quota') })).toBe('plain');
    expect(meaningOf({ status: 400, fault: { ...fault('no'), param: 'content_filter' } })).toBe('plain');
    expect(meaningOf({ status: 500, fault: fault('We failed on: overloaded_error') })).toBe('server');
  });

  test('is searched to its end, however long and odd it is', () => {
    for (const piece of ['a', 'error: ', 'invalid request: ', 'model ', 'you have reached your ', ' ', "'"]) {
      expect(meaningOf({ status: 400, fault: fault(piece.repeat(100_000)) })).toBe('plain');
    }
  });
});

describe('besides the body', () => {
  const fault = (given: Partial<ProviderFault>): ProviderFault => ({
    message: '',
    type: undefined,
    code: undefined,
    param: undefined,
    ...given,
  });

  test('without one the status decides', () => {
    const found = [400, 401, 402, 403, 404, 413, 429, 451, 498, 500, 502, 503, 504, 529].map((status) =>
      meaningOf({ status, fault: undefined }),
    );
    expect(found.join(' ')).toBe(
      'plain key quota access plain too-long rate region overloaded server server overloaded server overloaded',
    );
  });

  test("the head's exception name counts as a type", () => {
    const header = (value: string) => (name: string) => (name === 'x-amzn-errortype' ? value : undefined);
    const named = (status: number, value: string) =>
      meaningOf({ status, fault: fault({ message: 'No.' }), header: header(value) });
    expect(named(400, 'ThrottlingException:http://internal.amazon.com/coral/com.amazon.bedrock/')).toBe('rate');
    expect(named(400, 'ServiceQuotaExceededException')).toBe('quota');
    expect(named(424, 'ModelNotReadyException')).toBe('overloaded');
    expect(named(400, 'UnrecognizedClientException')).toBe('key');
    expect(named(400, 'ValidationException')).toBe('plain');
  });

  test('a day’s allowance differs from a minute’s if the reader passes its name on', () => {
    const exhausted = (code: string) =>
      meaningOf({
        status: 429,
        fault: fault({ message: 'You exceeded your current quota.', type: 'RESOURCE_EXHAUSTED', code }),
      });
    expect(exhausted('GenerateRequestsPerDayPerProjectPerModel-FreeTier')).toBe('quota');
    expect(exhausted('GenerateRequestsPerMinutePerProjectPerModel-FreeTier')).toBe('rate');
  });

  test('an error in a stream has no status but its code', () => {
    const inStream = (given: Partial<ProviderFault>) => meaningOf({ status: 0, fault: fault(given) });
    expect(inStream({ code: '502', message: 'Provider returned error' })).toBe('server');
    expect(inStream({ code: '429', message: 'Provider returned error' })).toBe('rate');
    expect(inStream({ type: 'overloaded_error', message: 'Overloaded' })).toBe('overloaded');
    expect(inStream({ type: 'server_error' })).toBe('server');
    expect(inStream({ type: 'UNAVAILABLE' })).toBe('overloaded');
    expect(inStream({ type: 'invalid_request_error' })).toBe('plain');
  });

  test('a number counts only without a type', () => {
    expect(meaningOf({ status: 400, fault: fault({ code: '1113' }) })).toBe('quota');
    expect(meaningOf({ status: 400, fault: fault({ code: '1113', type: 'invalid_request_error' }) })).toBe('plain');
  });
});

const recorded = ['openai-responses', 'openai-chat', 'images'].flatMap((folder) => recordedFiles(folder));

describe('recorded errors', () => {
  const refusals = recorded.filter(({ name }) => /(parameter|temperature|format)-error\.json$/.test(name));
  test.each(refusals.map((file) => [file.name, file] as const))('%s', (_, file) => {
    expect(meaningOf({ status: 400, fault: readResponses(file.text()) })).toBe('plain');
  });

  const streams = recorded.filter(({ name }) => /error(\.1)?\.chunks\.txt$/.test(name));
  test.each(streams.map((file) => [file.name, file] as const))('%s: a quota spent in a stream', (_, file) => {
    const line = file
      .text()
      .split('\n')
      .find((text) => text.includes('"type":"error"'));
    expect(meaningOf({ status: 0, fault: readResponses(line ?? '') })).toBe('quota');
  });

  test('own recordings hold both', () => {
    expect([refusals.some(({ isOwn }) => isOwn), streams.some(({ isOwn }) => isOwn)]).toEqual([true, true]);
  });
});
