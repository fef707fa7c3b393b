/** Bounds of sessions and sign-ins that nothing changes, for the page to say; a test holds them against the server's own. */

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

export const safetyFacts = {
  sessionIdleMs: 7 * dayMs,
  sessionTotalMs: 30 * dayMs,
  tries: 20,
  triesPerAddress: 200,
  triesPerName: 100,
  triesWindowMs: 15 * minuteMs,
  passwordLengthMin: 10,
  auditMs: 400 * dayMs,
  playgroundTokenMs: 60 * minuteMs,
  passkeyNameLengthMax: 60,
  invitationNoteLengthMax: 200,
} as const;
