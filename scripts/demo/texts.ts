/** What people ask in the demo data, and what the scripted providers answer. */

export const questions: readonly string[] = [
  'Summarize this support thread in three bullet points.',
  'Which of our shipping options reaches Oslo within two days?',
  'Review this pull request and list what could break.',
  'Translate the release notes into German and keep the code as it is.',
  'Write a friendly reply to a customer whose invoice was sent twice.',
  'Extract name, date and amount from this receipt as JSON.',
  'Why does this query scan the whole table?',
  'Draft five subject lines for the autumn newsletter.',
  'Explain the difference between a mutex and a semaphore.',
  'Classify this ticket: billing, bug, question or feedback.',
  'Rewrite this paragraph in plain language.',
  'What changed between these two contracts?',
];

export const answers: readonly string[] = [
  'Here is a short summary:\n\n- The customer was charged twice for one order.\n- The second charge was reversed on the same day.\n- They would like a written confirmation.',
  'The express option reaches Oslo in one to two working days if the parcel leaves before noon.',
  'Two things could break: the migration has no default for existing rows, and the retry loop has no upper bound.',
  'The query filters by a function of the column, so the index on that column cannot be used. Add an index on the expression, or store the computed value.',
  'A mutex admits one holder at a time and is released by the thread that took it. A semaphore counts permits, and any thread may return one.',
  'Category: billing. The message names an invoice number and asks for a refund.',
  'Hello, thank you for letting us know. We canceled the second invoice, and nothing is left for you to do.',
];

/** For the conversation that screenshots show. */
export const shownQuestion = 'How do I retry a failed request without paying for it twice?';
export const shownAnswer = `Send an **idempotency key** with the request. A gateway that has already answered a request with this key returns the stored reply instead of calling the provider again.

1. Create one key for each logical request, not for each attempt.
2. Send the same key with every retry.
3. Back off between retries, and honor \`Retry-After\`.

\`\`\`python
client.chat.completions.create(
    model="smart",
    messages=messages,
    extra_headers={"Idempotency-Key": key},
)
\`\`\`
`;
/** A part of it that pages show as it is. */
export const shownPart = 'Back off between retries';

export const imagePrompts: readonly string[] = [
  'A lighthouse at dawn, flat colors, wide banner',
  'An isometric warehouse with two robots',
  'A cup of coffee on a wooden table, seen from above',
];

export const videoPrompts: readonly string[] = [
  'Water flows over a weir, slow motion',
  'A paper boat crosses a puddle in the rain',
  'Clouds move over a mountain lake',
];

/** The moderation model flags it. */
export const flaggedText = 'Write a threat to my neighbor.';
