/** What providers' errors mean, in the order of matching: codes for programs before messages for people. */

import type { FaultRow } from './fault-row.ts';
import { phrases } from './provider-fault-phrases.ts';

/** If a phrase or word has two meanings, the rarer one comes first. */
const exceptions: readonly FaultRow[] = [
  { meaning: 'rate', says: [/^allocated quota exceeded/i, /^you exceeded your current requests? list/i] },
  // A request larger than a minute's allowance does not fit after a wait either.
  {
    meaning: 'too-long',
    says: [
      /^request too large for (?:model )?\S+ .{0,200}\bon tokens per min/i,
      /^extra usage is required for long context/i,
    ],
  },
  // The code covers every text that is too long; only the conversation's text is a context overflow.
  {
    meaning: 'too-long',
    words: 'string_above_max_length',
    says: [/^invalid '(?:prompt|input|(?:messages|input)\[\d+\]\.content\S*)': string too long/i],
  },
  {
    meaning: 'quota',
    says: [
      /^rate limit reached for (?:model )?\S+ .{0,200}?\bon \w+ per day \(/i,
      /^rate limit exceeded: \S+-per-day/i,
      /^too many tokens per day/i,
      /^your account \S+ ?\S* request reached (?:max )?TPD/i,
    ],
  },
  { meaning: 'quota', word: /^\w*PerDay\w*(?:-\w+)?$/ },
  {
    meaning: 'quota',
    words: 'RESOURCE_EXHAUSTED',
    says: [/^you exceeded your current quota.*\blimit: 0, model: \S+\s/is],
  },
  // The content-generation wire uses these words for a minute's allowance too.
  { meaning: 'rate', words: 'RESOURCE_EXHAUSTED', says: [/^you exceeded your current quota/i] },
  { meaning: 'rate', says: [/^you exceeded your current quota.*\bplease retry in [\d.]+m?s/is] },
];

/** Words that mean one thing only. `#` marks a number without a type. */
const exactWords: readonly FaultRow[] = [
  {
    meaning: 'quota',
    words: `
      insufficient_quota quota_exceeded billing_hard_limit_reached billing_not_active billing_error
      billing_disabled insufficient_credits insufficient_balance insufficient_balance_error credits_error
      CreditsError credit_limit payment_required exceeded_current_quota_error Arrearage AccountOverdue
      AccountOverdueError AllocationQuota.FreeTierOnly SetLimitExceeded ServiceQuotaExceededException #1101 #1102
      #1113 #1308 #1309 #1310 #30001 #30011`,
  },
  {
    meaning: 'overloaded',
    words: `
      overloaded_error engine_overloaded engine_overloaded_error ServerOverloaded server_overloaded
      model_overloaded server_is_overloaded capacity_exceeded service_tier_capacity_exceeded NoCapacity
      MODEL_CAPACITY_EXHAUSTED resource_unavailable ModelNotReadyException system_busy #1305 #1312`,
  },
  {
    meaning: 'content',
    words: `
      content_policy_violation content_filter content_filtered content_moderation content_blocked
      moderation_blocked guardrail_intervened blocked_prompt prohibited_content ResponsibleAIPolicyViolation
      data_inspection_failed #1301`,
  },
  { meaning: 'content', word: /^(?:(?:Input|Output)\w{1,12})?SensitiveContentDetected(?:\.\w+)?$/ },
  {
    meaning: 'region',
    words: `
      unsupported_country_region_territory location_not_supported region_not_supported`,
  },
  {
    meaning: 'too-long',
    words: `
      context_length_exceeded context_window_exceeded exceed_context_size_error request_too_large #1261`,
  },
  {
    meaning: 'model-gone',
    words: `
      model_not_found model_not_available model_decommissioned model_deprecated DeploymentNotFound ModelNotOpen
      Model.AccessDenied AccessDenied.Unpurchased invalid_model unknown_model UnsupportedModel
      InvalidEndpointOrModel InvalidEndpoint model_permission_blocked_org model_permission_blocked_project
      model_terms_required resource_not_found_error ResourceNotFoundException #1211 #1311 #20012`,
  },
  {
    meaning: 'key',
    words: `
      invalid_api_key api_key_invalid api_key_expired api_key_service_blocked api_key_ip_address_blocked
      api_key_http_referrer_blocked service_disabled consumer_suspended access_token_expired
      invalid_authentication_error account_deactivated organization_restricted ip_not_authorized
      UnrecognizedClientException ExpiredTokenException InvalidSignatureException #1112 #1121`,
  },
];

/** Words that name a group of failures: they count if nothing more specific matched. */
const generalWords: readonly FaultRow[] = [
  {
    meaning: 'rate',
    words: `
      rate_limit_exceeded rate_limit_error rate_limited rate_limit_reached_error model_rate_limit
      RateLimitExceeded too_many_requests throttling ThrottlingException throttling_error RESOURCE_EXHAUSTED
      slow_down #1302 #1303 #1313`,
  },
  {
    meaning: 'overloaded',
    words: `
      UNAVAILABLE unavailable_error service_unavailable ServiceUnavailableException`,
  },
  {
    meaning: 'key',
    words: `
      authentication_error UNAUTHENTICATED`,
  },
  {
    meaning: 'access',
    words: `
      permission_error PERMISSION_DENIED AccessDeniedException`,
  },
];

const bareStatuses: readonly FaultRow[] = [
  { meaning: 'quota', statuses: [402] },
  { meaning: 'key', statuses: [401] },
  { meaning: 'access', statuses: [403] },
  { meaning: 'too-long', statuses: [413] },
  { meaning: 'rate', statuses: [429] },
  { meaning: 'region', statuses: [451] },
  { meaning: 'overloaded', statuses: [498, 503, 529] },
];

/** The first matching row counts. */
export const faultRows: readonly FaultRow[] = [
  ...exceptions,
  ...exactWords,
  ...phrases,
  ...generalWords,
  ...bareStatuses,
];
